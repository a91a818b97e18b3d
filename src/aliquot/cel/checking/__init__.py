"""What is wrong with a syntax tree before any device is seen, and what type each part of it has."""
