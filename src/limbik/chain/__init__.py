"""Chains of one kind, and one point or pose for their ends: the quickest way for arms in a plane and arms of
ball joints.
"""
