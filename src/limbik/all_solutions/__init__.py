"""Every solution of a goal: by closed form, swivel angle, elimination or samples, else from many starts."""
