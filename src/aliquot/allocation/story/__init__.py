"""Why claims got nothing: per request and device, every rule in the way; and a smallest set that can't hold."""
