"""The fast core: one chain of up to 12 revolute and prismatic joints, and one goal for its end."""
