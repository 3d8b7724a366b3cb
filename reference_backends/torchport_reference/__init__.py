"""Reference backends of torchport: what a vendor reads to learn."""
