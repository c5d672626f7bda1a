"""KVDeck's engine side: everything that needs no Qt."""
