"""`aliquot node check` and `node setup`: configurations of GPU sharing, and what they do to a host."""
