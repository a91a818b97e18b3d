"""Plugins that show themselves by a socket in plugins_registry: found, asked, told, and found gone."""
