"""Markers of motion capture: gaps that are filled, and skeletons that are moved by markers."""
