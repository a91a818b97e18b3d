"""What is offered to the kubelet: whose a GPU is, which resources there are, how they are shared. Pure."""
