"""The kubelet's gRPC interfaces: `.proto` files written from the field numbers, messages, and services with types.

What counts is the wire: package, service, method and field numbers are the kubelet's. `make protos` writes `generated`.
"""
