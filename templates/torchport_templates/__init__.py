"""Backend package templates of torchport, one folder per template.

A template is a folder with a ``template.toml``: ``level``, ``kernels``, ``summary``, and ``extends``, the
folder whose files it inherits where it has no file of the same path. The files are copied to the new package:
``__name__`` in a path becomes the backend's name; a file that ends in ``.jinja`` is rendered and loses the
ending. The variables are the fields of :class:`torchport.tools.scaffold.Variables`.
"""

from pathlib import Path

TEMPLATES_DIR = Path(__file__).parent
"""What the entry point ``torchport.templates`` hands to ``torchport new``."""
