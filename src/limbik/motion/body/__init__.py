"""Which links of a model are the parts of a human body, and the axes common to all bodies."""
