"""The entry script: ``spark-submit [--py-files kcheck.zip] submit.py INPUT… --out DIR``."""

import sys

if __name__ == "__main__":
    from kcheck.fleet.__main__ import main

    sys.exit(main())
