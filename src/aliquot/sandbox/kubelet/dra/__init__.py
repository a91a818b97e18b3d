"""DRA drivers at the kubelet: their plugins, the claims prepared by them, and the health that they tell."""
