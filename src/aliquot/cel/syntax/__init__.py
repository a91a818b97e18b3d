"""From text to a syntax tree; nothing here knows what a name means."""
