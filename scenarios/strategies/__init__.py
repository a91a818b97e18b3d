"""Random clusters, pods and claims for hypothesis."""
