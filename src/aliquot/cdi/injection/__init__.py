"""The edits of an OCI runtime spec that devices ask for. Pure: the host's device nodes are asked by a protocol."""
