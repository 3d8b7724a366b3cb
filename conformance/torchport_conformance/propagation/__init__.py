"""How far errors of single operators reach: bounds for whole programs, from the contract's numerics."""
