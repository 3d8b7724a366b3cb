"""Capture: Dynamo graphs through AOTAutograd to contract graphs."""
