"""Running compiled graphs: the flat executor."""
