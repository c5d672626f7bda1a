"""The engine's sentences in the user's language.

The engine speaks English: it has no Qt, serves programs too, and its log must read the same everywhere. Its sentences
are made from fixed forms with names and numbers in them. The forms are listed here, by what they are about, so that the
window can find the form of a sentence, put it into the user's language and the names and numbers back into it.
"""
