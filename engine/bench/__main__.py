"""`python -m engine.bench`: the same as `kvdeck bench`."""

import sys

from engine.bench.cli import main

if __name__ == "__main__":
    sys.exit(main())
