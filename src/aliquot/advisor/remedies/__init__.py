"""Ways out, one kind a module: each proposes changes; `search` tries them."""
