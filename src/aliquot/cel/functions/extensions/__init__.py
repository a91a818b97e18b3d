"""cel-go's extension libraries: strings, lists, sets, optional types, two-variable comprehensions."""
