"""What the agent is told to do: a file, and options of the command line that go before it. Pure.

`values` is what follows, `shape` how a file says it, `read` finds everything that's wrong with one at once.
"""
