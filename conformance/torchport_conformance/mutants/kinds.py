"""What a case is about, as its id says: for tables of which kinds of cases find faults."""

from __future__ import annotations

import re
from itertools import takewhile

from torchport_conformance.cases.layouts import LAYOUTS

_NAMED = re.compile(r"\[(error|when|opinfo|host|collective):")
_NAMED_KINDS = {
    "error": "op: error conditions",
    "when": "op: edges of declarations",
    "opinfo": "op: samples of OpInfo",
    "host": "op: host scalars",
    "collective": "op: collectives",
}
_EMPTY = re.compile(r"\w=0(?![\w.])|\bempty\b")


def kind_of(case_id: str) -> str:
    """The kind of a case: its layer, and for the op layer what its row is about."""
    layer, colon, _ = case_id.partition("[")[0].partition(":")
    if colon:
        return layer
    named = _NAMED.search(case_id)
    if named:
        return _NAMED_KINDS[named[1]]
    words = case_id.partition("[")[2].rstrip("]").split("-")
    # The dtypes come first, then the sizes, then layouts and values; arguments are NAME=VALUE behind them.
    rest = list(takewhile(lambda word: "=" not in word, words[2:]))
    heads = {part.partition("(")[0] for word in rest for part in re.split(r"(?<=\)),", word) if part}
    layout = bool(heads & LAYOUTS.keys() - {"contiguous"})
    values = bool(heads - LAYOUTS.keys())
    if len(words) > 1 and _EMPTY.search(words[1]):
        return "op: empty operands"
    if layout and values:
        return "op: layouts with special values"
    if layout:
        return "op: layouts"
    if values:
        return "op: special values"
    return "op: mixed dtypes" if "," in words[0] else "op: sizes and arguments"
