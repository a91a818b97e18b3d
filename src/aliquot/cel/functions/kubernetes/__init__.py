"""The libraries that Kubernetes adds: quantities, versions, URLs, networks, named formats, lists."""
