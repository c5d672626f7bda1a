"""Faults at random moments under a real load: `python -m tests.soak --help`."""
