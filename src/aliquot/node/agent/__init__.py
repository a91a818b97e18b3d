"""The agent: one process on one node, put together and kept going.

`machine` is what it stands on, `pools` what is published just now, `counted` the GPUs that go by the device plugin,
`agent` the order in which everything starts, goes on and stops.
"""
