"""Recordings: what the window saw of an engine, in one file that replays without one (docs/recording-format.md)."""
