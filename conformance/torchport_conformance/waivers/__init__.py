"""Waivers: failures that a vendor knows of, each with a predicate, a reason, an owner, a link and an end."""
