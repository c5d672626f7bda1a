"""A short tour of four ideas on the user's own engine: each lesson does something real, and shows what came of it."""
