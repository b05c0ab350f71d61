"""The program ``kcheck``: decides what to load before it loads anything."""

import sys


def main(args: list[str] | None = None) -> int:
    """Run one command line and give its exit code."""
    args = sys.argv[1:] if args is None else args
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
