"""Claims prepared and unprepared: plans carried out step by step, so that dying between two loses nothing."""
