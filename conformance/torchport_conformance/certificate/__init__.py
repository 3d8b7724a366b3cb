"""Certificates: what a run proved, signed with Ed25519, verified offline, challenged with fresh values."""
