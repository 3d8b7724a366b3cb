"""The contract's shape rules as C++: ``torchport/shape_rules.h``."""
