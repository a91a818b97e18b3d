"""Messages, written by `make protos` from the `.proto` files beside this folder. Nothing here is edited by hand."""
