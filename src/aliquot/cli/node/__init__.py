"""`aliquot node`: what a GPU node has, and what the scheduler sees of it."""
