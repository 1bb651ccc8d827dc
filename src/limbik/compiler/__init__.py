"""Kernels: one Python source, interpreted at once and machine code as soon as there is some."""
