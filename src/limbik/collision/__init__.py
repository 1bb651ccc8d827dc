"""Shapes, worlds, and checks of whether a robot touches itself or what stands around it."""
