"""What this machine's GPUs and CPU can do at most, measured with torch. A program of its own: nothing imports it."""
