"""The general core: trees of any joints, and any number of goals."""
