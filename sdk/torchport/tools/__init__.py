"""Tools on top of the pipeline."""
