"""The backend interface and everything between a region and runnable code."""
