"""Backend package templates of torchport."""
