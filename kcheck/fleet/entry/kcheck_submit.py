"""The entry script: ``spark-submit [--py-files kcheck.zip] kcheck_submit.py INPUT… --out DIR``.

Alone in its folder: Python puts the folder of a script in front of its search path.
"""

import sys

if __name__ == "__main__":
    from kcheck.fleet.__main__ import main

    # Some platforms take any SystemExit, that of 0 too, for a failure.
    code = main()
    if code:
        sys.exit(code)
