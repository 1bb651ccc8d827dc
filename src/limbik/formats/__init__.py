"""Where models come from: one file for each format, and `load`, which finds out by itself."""

from limbik.formats.load import load

__all__ = ["load"]
