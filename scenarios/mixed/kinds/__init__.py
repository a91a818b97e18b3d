"""The causes that are injected, by where they lie. Each gives what it made wait and what is true of it."""
