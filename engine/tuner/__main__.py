"""`python -m engine.tuner`: the same as `kvdeck lab`."""

import sys

from engine.tuner.cli import main

if __name__ == "__main__":
    sys.exit(main())
