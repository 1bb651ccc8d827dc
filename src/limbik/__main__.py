"""The command `limbik`, also as `python -m limbik`."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

INTERRUPTED = 130  # as shells have it


def main() -> None:
    """Run the command; Ctrl-C ends it without a traceback while modules are imported, too."""
    try:
        _imported()(prog_name="limbik")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _imported() -> Any:
    """The app. Ctrl-C ends the process at once meanwhile, as some extension modules hide its exception."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    try:
        from limbik.cli import app
    finally:
        signal.signal(signal.SIGINT, before)
    return app


if __name__ == "__main__":
    main()
