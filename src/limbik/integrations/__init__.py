"""limbik inside other libraries. Each module imports its partner, and says what to install without it."""
