"""Composites offered while AOTAutograd traces, before PyTorch breaks them up."""
