"""Which links of a model are the parts of a human body, and the axes that all bodies share."""
