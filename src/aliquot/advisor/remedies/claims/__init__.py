"""Ways out by another claim or device class: another selector, fewer devices, a class that exists."""
