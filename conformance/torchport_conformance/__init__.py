"""Conformance suite for torchport backends."""
