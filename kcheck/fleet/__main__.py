"""``python -m kcheck.fleet …`` is ``kcheck audit …``; also what ``spark-submit`` runs."""

import sys


def main() -> int:
    from kcheck.__main__ import main as kcheck

    return kcheck(["audit", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
