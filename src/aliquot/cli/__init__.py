"""The commands: composes everything; the only place that prints."""
