"""Indices of the settings and answers of a solve on a tree."""

# Settings, by index. Those of the classical methods follow them (`tree.classical_loop`).
BUDGET = 0  # iterations in all
RESTARTS = 1
USE_LIMITS = 2
RANDOM = 3  # state of the random numbers
LENGTH = 4  # [m] size of the model: prismatic joints without limits begin within it

SETTINGS_SIZE = 5

# Of the general core, after these.
IS_COMPROMISE = 5  # 1: the smallest errors of goals that need not be met (`tree.compromise`)
GENERAL_SIZE = 6

# Answer, by index.
END = 0  # one of `numerics.end_codes`
ITERATIONS = 1
DESCENTS = 2
MOVED = 3  # 1: the start was not within its limits
ANSWER_SIZE = 4
