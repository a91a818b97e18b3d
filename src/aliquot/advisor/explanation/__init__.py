"""What is told of a pod: where it has room, what blocks it, who refuses it; and which pods are meant."""
