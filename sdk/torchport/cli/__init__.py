"""The command line: ``torchport new | backends | opset | explain | minify | bench | doctor`` and plugins.

One module per command; a distribution adds a command with an entry point in the group ``torchport.commands``.
Nothing here imports PyTorch before a command needs it. Exit codes: 0 done, 1 the answer is no (a drift, a
broken plugin, a failed check), 2 the request was refused; a command of a plugin may have more.
"""

from torchport.cli.application import application, main

__all__ = ["application", "main"]
