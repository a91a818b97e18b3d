"""Ways past a shortage by asking for less, for something else that's there, or less strictly."""
