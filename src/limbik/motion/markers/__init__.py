"""Markers of motion capture: gaps that are filled."""
