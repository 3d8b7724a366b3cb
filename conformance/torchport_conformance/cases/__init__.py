"""Conformance cases, generated from the contract's entries."""
