"""The text of specs: read with every problem and its line, and written in one canonical form. Touches no file."""
