"""The kubelet's door to a DRA driver: sockets, registration, claims in and devices out, the health of devices.

What it is: translation, and the life of sockets. What a claim gets is decided behind `door.Drives`; every claim that
the kubelet names is answered, and one that fails spoils no other.
"""
