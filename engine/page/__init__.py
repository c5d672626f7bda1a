"""The shared telemetry page: a file that the probe writes and the window reads, with no queue in between."""
