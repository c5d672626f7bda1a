"""KVDeck's window: the Qt side."""
