"""Device plugins at the kubelet: registered, watched, and their devices counted and given to containers."""
