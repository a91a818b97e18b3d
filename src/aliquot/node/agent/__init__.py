"""The agent: one process on one node, put together and kept going.

`machine` is what it stands on, `offering` which GPU goes which way, `pools` what is published just now, `agent` the
order in which everything starts, goes on and stops.
"""
