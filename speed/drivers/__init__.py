"""A DRA driver as a process, looked at from outside: called as by a kubelet, timed, weighed, its fsyncs counted."""
