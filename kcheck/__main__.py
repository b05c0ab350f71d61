"""The program ``kcheck``: decides what to load before it loads anything."""

import gc
import sys

#: Commands that go on for hours, and work mostly in other processes.
_LASTING = ("audit", "pack")


def main(args: list[str] | None = None) -> int:
    """Run one command line, that of this process if none is given, and give its exit code."""
    alone = args is None
    args = sys.argv[1:] if args is None else args
    if args[:1] and args[0] in _LASTING:
        return _ended(args)
    # A run makes a million objects that live until its end: looking for cycles among them again
    # and again, and once more when the process ends, would take longer than all rules together.
    gc.disable()
    try:
        return _ended(args)
    finally:
        if alone:
            gc.freeze()
        gc.enable()


def _ended(args: list[str]) -> int:
    try:
        return _command(args)
    except KeyboardInterrupt:
        # While modules are loaded: commands answer for themselves.
        sys.stderr.write("kcheck: interrupted\n")
        return 2


def _command(args: list[str]) -> int:
    if args[:1] == ["lint"]:
        from kcheck.cli import argv, options

        parsed = argv.parse(args[1:], options.LINT)
        if parsed is not None:
            from kcheck.cli import lint, run

            return run.guarded(lint.lint, parsed)
    if args == ["--version"]:
        from kcheck import __version__

        print(f"kcheck {__version__}")
        return 0
    from kcheck.cli import app

    return app.main(args)


if __name__ == "__main__":
    sys.exit(main())
