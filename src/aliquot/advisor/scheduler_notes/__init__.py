"""What to know of the scheduler itself: defects of its release, and counts that it keeps after they changed."""
