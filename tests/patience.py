"""How long a test waits for what must come.

Half of the tests run at a low priority beside a real engine, some ten times slower than alone (tests/lanes.py): a
shorter wait fails now and then on a machine that has other work, and says nothing about the program.
"""

PATIENCE_S = 90.0
PATIENCE_MS = round(PATIENCE_S * 1000)
