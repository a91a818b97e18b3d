"""IP addresses, networks and URLs: read and shown as Go does."""
