"""The methods, one per file, each named after its paper's; longer ones have their parts beside them."""
