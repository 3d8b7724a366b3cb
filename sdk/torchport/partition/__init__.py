"""Partitioning: claimed nodes become convex regions, the rest stays with eager PyTorch."""
