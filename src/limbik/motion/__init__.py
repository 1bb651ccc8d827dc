"""Motion: configurations over time."""
