"""Where it meets the kubelet: a socket for each resource, kept and registered. An edge."""
