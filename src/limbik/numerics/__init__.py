"""Mathematics that every engine uses, as kernels."""
