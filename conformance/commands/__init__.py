"""kubectl beside the commands that remedies print: verbs, flags, values and patches, without a server."""
