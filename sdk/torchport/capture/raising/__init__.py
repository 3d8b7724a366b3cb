"""Raising: composites in a Dynamo graph, called by name or written out by hand, are offered as macros."""
