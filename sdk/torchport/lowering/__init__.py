"""Lowering: operators are decomposed until a backend claims them."""
