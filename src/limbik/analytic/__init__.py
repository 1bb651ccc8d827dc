"""Closed forms: every configuration of an arm that brings its end effector to a pose."""
