"""Motions on the page: opened, changed, measured, brought to robots."""
