"""The command `limbik`, also as `python -m limbik`."""

from __future__ import annotations

import sys

INTERRUPTED = 130  # as shells have it


def main() -> None:
    """Run the command; Ctrl-C ends it without a traceback while modules are imported, too."""
    try:
        from limbik.cli import app

        app(prog_name="limbik")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
