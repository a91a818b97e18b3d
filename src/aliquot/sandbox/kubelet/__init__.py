"""A kubelet, as far as plugins, drivers and monitoring see it, over real Unix sockets.

`kubelet.Kubelet` is the door. It finds plugins, registers them, prepares claims, counts devices and lists what it gave,
as the real one does, with its quirks; it starts no containers: what a container would get is its answer.

Sources: kubernetes/kubernetes, pkg/kubelet/{pluginmanager, cm/dra, cm/devicemanager, apis/podresources}, 1.34 to 1.37.
"""
