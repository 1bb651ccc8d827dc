"""In the place of the reader of descriptions, in a process of its own: readers that a file has broken."""

import os
import time
from typing import NoReturn

from limbik.formats.source import Source


def reader_that_dies(source: Source) -> NoReturn:
    """What MuJoCo does with a "%n"."""
    os.abort()


def reader_that_hangs(source: Source) -> None:
    """One that never comes back."""
    time.sleep(60.0)
