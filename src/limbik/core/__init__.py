"""The mathematics, compiled: kernels on plain arrays, with no knowledge of models or solvers."""
