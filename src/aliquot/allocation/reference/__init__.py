"""What kube-scheduler's allocator will answer: its search step for step, per release, defects included."""
