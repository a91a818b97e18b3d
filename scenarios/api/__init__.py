"""Objects of Kubernetes as JSON, said briefly. No chance, and nothing of Aliquot: the API's own fields and defaults."""
