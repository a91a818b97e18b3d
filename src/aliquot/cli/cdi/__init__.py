"""`aliquot cdi`: `app` is the tree of its verbs, each other module a group of them. This file imports nothing."""
