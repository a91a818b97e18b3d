"""What a container runtime's configuration means for CDI, by the rules of its release, and how it gets on safely.

Texts in, texts out: no file is touched. `table` says what each release does, with sources; `containerd`, `docker`,
`crio` and `podman` read a configuration as that runtime does; `assess` asks the one that is meant; `configure` finds a
change and reads it back before anybody writes it; `readers` says which specs a release can read.
"""
