"""Small supplies, claims and clusters as Aliquot's own values, said briefly."""
