"""A DRA driver over Kubernetes' own library for drivers (``conformance/go/nodedriver``), at our kubelet and API server.

It proves the stand-ins: what the library registers, asks for and answers is what a kubelet and an API server take.
"""
