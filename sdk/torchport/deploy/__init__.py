"""Ahead of time: compiled programs as files (``tp.export``), and what runs them (``tp.load``)."""
