"""Writes ``torchport/shape_rules.h``: every shape rule and constraint of a contract version as C++.

``python -m torchport.contract.cpp.header`` rewrites the header, ``--check`` fails when it has drifted.
"""

from __future__ import annotations

import argparse
import ast
import sys
from pathlib import Path

from torchport.contract.cpp.expressions import ExpressionPrinter
from torchport.contract.cpp.functions import FunctionPrinter
from torchport.contract.opset import OpSet, opset
from torchport.contract.shape_functions import FUNCTIONS
from torchport.contract.shape_rules import parse
from torchport.contract.spec import OpSpec
from torchport.contract.version import CURRENT

PATH = Path(__file__).resolve().parents[2] / "include" / "torchport" / "shape_rules.h"

_HEAD = """\
/* Generated from opset {version} ({sha}); do not edit.
 *
 * Shape rules and constraints of {count} operators:
 *
 *     torchport::shape::Arguments call;
 *     call.values["self"] = Value::sizes(sizes, rank);
 *     call.dtypes["self"] = "float32";
 *     std::vector<Value> outputs = torchport::shape::infer("aten.exp.default", call);
 *
 * An output is its list of sizes, none where it is absent, or a list of such lists for a list of tensors. A
 * size known only at run time is a data-dependent value with its upper bound.
 */
#ifndef TORCHPORT_SHAPE_RULES_H
#define TORCHPORT_SHAPE_RULES_H

#include <string_view>
#include <unordered_map>

#include "torchport/shape_value.h"

namespace torchport::shape {{

inline constexpr const char* opset_version = "{version}";

namespace rules {{

"""

_TAIL = """\
}}  // namespace rules

/* The contract's entry for an operator by its qualified name; null where there is none. */
inline const Operator* find(std::string_view name) {{
  static const std::unordered_map<std::string_view, const Operator*> index = [] {{
    std::unordered_map<std::string_view, const Operator*> made;
    for (const Operator& entry : rules::operators()) made.emplace(entry.name, &entry);
    return made;
  }}();
  auto found = index.find(name);
  return found == index.end() ? nullptr : found->second;
}}

/* Shapes of the outputs of a call. Raises Error where the arguments do not fit. */
inline std::vector<Value> infer(std::string_view name, const Arguments& arguments) {{
  const Operator* entry = find(name);
  if (entry == nullptr) throw Error("the operator is not in the contract: " + std::string(name));
  std::vector<Value> outputs;
  for (auto rule : entry->shapes) outputs.push_back(rule(arguments));
  return outputs;
}}

/* The first constraint that a call does not keep; null where it keeps them all. */
inline const Condition* violated(std::string_view name, const Arguments& arguments) {{
  const Operator* entry = find(name);
  if (entry == nullptr) throw Error("the operator is not in the contract: " + std::string(name));
  for (const Condition& condition : entry->constraints) {{
    bool holds = false;
    try {{
      holds = static_cast<bool>(condition.holds(arguments));
    }} catch (const Error&) {{
    }}
    if (!holds) return &condition;
  }}
  return nullptr;
}}

}}  // namespace torchport::shape

#endif
"""


def header_text(contract: OpSet) -> str:
    """The header for one contract version.

    Raises:
        ContractError: a rule function uses Python that has no C++ form.
    """
    functions = FunctionPrinter(FUNCTIONS)
    expressions: dict[str, str] = {}
    entries = [_entry(spec, functions, expressions) for _, spec in sorted(contract.ops.items())]
    shared = "\n".join(
        f"inline Value {name}(const Arguments& a) {{ {body} }}" for body, name in expressions.items()
    )
    head = _HEAD.format(version=contract.version, sha=contract.sha256[:16], count=len(entries))
    table = (
        "inline const std::vector<Operator>& operators() {\n"
        "  static const std::vector<Operator> all = {\n" + "".join(entries) + "  };\n  return all;\n}\n\n"
    )
    return head + functions.text() + "\n\n" + shared + "\n\n" + table + _TAIL.format()


class _RulePrinter(ExpressionPrinter):
    """Prints rules: names are arguments of the call, ``dtype(x)`` is the name of an argument's dtype."""

    def __init__(self, functions: FunctionPrinter, where: str) -> None:
        super().__init__(lambda name: f'a["{name}"]', functions.resolve, where)

    def _print_Call(self, node: ast.Call) -> str:
        if isinstance(node.func, ast.Name) and node.func.id == "dtype":
            return f'a.dtype("{ast.unparse(node.args[0])}")'
        return super()._print_Call(node)


def _entry(spec: OpSpec, functions: FunctionPrinter, expressions: dict[str, str]) -> str:
    printer = _RulePrinter(functions, spec.name)

    def function(text: str) -> str:
        body = f"(void)a; return {printer.text(parse(text).tree)};"
        return expressions.setdefault(body, f"rule_{len(expressions)}")

    shapes = ", ".join(function(text) for text in spec.shape)
    own = [c for c in spec.constraints if c.tier is None]
    conditions = ",\n      ".join(f'{{"{c.label}", "{_escaped(c.prose)}", {function(c.text)}}}' for c in own)
    inside = f"\n      {conditions}" if conditions else ""
    return f'    {{"{spec.name}", {{{shapes}}}, {{{inside}}}}},\n'


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def main(arguments: list[str] | None = None) -> int:
    """Command line; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail when the header has drifted"
    )
    text = header_text(opset(CURRENT))
    if not parser.parse_args(arguments).check:
        PATH.write_text(text, encoding="utf-8")
        return 0
    if PATH.exists() and PATH.read_text(encoding="utf-8") == text:
        return 0
    sys.stderr.write(f"{PATH.name} has drifted: python -m torchport.contract.cpp.header\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
