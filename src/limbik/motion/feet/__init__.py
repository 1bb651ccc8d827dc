"""Feet that stand: grounds, soles, stances, and motions whose feet stay where they stand."""
