"""Raises a Dynamo graph: every place that computes a macro and that a backend claims becomes a call of it.

Nothing else is touched: what no backend claims stays as the program wrote it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import getitem
from typing import Any

import torch
from torch._dispatch.python import enable_python_dispatcher
from torch._subclasses.fake_tensor import FakeTensor
from torch.fx import GraphModule, Node
from torch.fx.experimental.symbolic_shapes import guard_or_false

from torchport.capture.raising.formulas import patterns
from torchport.capture.raising.gradients import BACKWARD, differentiable
from torchport.capture.raising.matcher import Match, Scene
from torchport.capture.raising.patterns import Apply, Compute, Named, Pattern, Wrapped
from torchport.capture.raising.recurrent import STATES, build, read
from torchport.capture.raising.restride import restride
from torchport.capture.raising.vocabulary import name_of, value_of
from torchport.capture.sizes import traced_symbols
from torchport.capture.tracing import autocasts
from torchport.compile.bound import Bound
from torchport.compile.reason import Reason
from torchport.compile.reports import RaisedMacro
from torchport.contract.fx_import import make_node, provenance_of, tensor_spec
from torchport.contract.graph import Graph, Node as ContractNode, Role, Symbol, Value, symbols_in
from torchport.contract.opset import OpSet
from torchport.contract.shape_rules import bind, parse
from torchport.contract.spec import OpSpec, resolve
from torchport.contract.symbols import from_torch
from torchport.errors import TorchportError
from torchport.lowering.claims import ask

KEPT_META = ("stack_trace", "nn_module_stack", "source_fn_stack")


class NotMeantError(Exception):
    """A match whose arguments the macro cannot have; the text says why."""


@dataclass(frozen=True, slots=True, eq=False)
class Offer:
    """A match as a call of its macro: arguments for the graph, their traced values, the traced result."""

    match: Match
    spec: OpSpec
    arguments: tuple[Any, ...]
    values: tuple[Any, ...]
    result: Any


def raise_macros(gm: GraphModule, backends: Sequence[Bound], opset: OpSet) -> list[RaisedMacro]:
    """Rewrites ``gm`` in place, activation checkpoints in it too, and reports every macro that was found.

    Args:
        gm: a Dynamo graph (or another graph before autograd) whose nodes have ``example_value`` or ``val``.
        backends: who is asked, in order of preference.
        opset: the contract version that has the macros.

    Raises:
        LoweringError: a ``claims`` method raised or did not return a Claim.
    """
    found = _Raising(gm, backends, opset).run()
    if any(m.backend for m in found):
        gm.graph.lint()
        gm.recompile()
    for body in checkpointed(gm):
        found += raise_macros(body, backends, opset)
    return found


def checkpointed(gm: GraphModule) -> list[GraphModule]:
    """The bodies of activation checkpoints, which autograd traces as part of the graph."""
    calls = [n for n in gm.graph.nodes if name_of(n) == "tag_activation_checkpoint"]
    names = {str(n.args[0].target) for n in calls if isinstance(n.args[0], Node)}
    return [body for name in sorted(names) if isinstance(body := gm.get_submodule(name), GraphModule)]


def trains(gm: GraphModule) -> bool:
    """Whether autograd will make a backward graph of ``gm``, as far as its inputs say."""
    values = [value_of(n) for n in gm.graph.nodes if n.op == "placeholder"]
    return torch.is_grad_enabled() and any(isinstance(v, torch.Tensor) and v.requires_grad for v in values)


def roots(pattern: Pattern) -> frozenset[str]:
    """Canonical operators that the last node of a pattern can be."""
    tree, names = pattern.tree, set()
    while isinstance(tree, Wrapped | Named):
        if isinstance(tree, Wrapped) and tree.kind == "narrow":
            names.add("cast")
        tree = tree.inner
    assert isinstance(tree, Apply)
    return frozenset({tree.op, *names})


class _Raising:
    def __init__(self, gm: GraphModule, backends: Sequence[Bound], opset: OpSet) -> None:
        self.gm, self.backends, self.opset = gm, backends, opset
        self.scene = Scene(gm.graph)
        self.phase = "forward" if trains(gm) else "inference"
        self.gone: set[Node] = set()
        self.refusals: dict[tuple[Any, ...], str] = {}
        self.found: list[RaisedMacro] = []

    def run(self) -> list[RaisedMacro]:
        by_op: dict[str, list[Node]] = {}
        for node in reversed(list(self.gm.graph.nodes)):
            call = self.scene.call(node)
            if call is not None and self.supported(node):
                by_op.setdefault(call.op, []).append(node)
        for op in STATES:
            for root in by_op.get(op, ()):
                self.recurrence(root, self.opset.ops[f"torchport.{op}.default"])
        refused: set[tuple[str, Node]] = set()
        for pattern in patterns():
            name = f"torchport.{pattern.macro}.default"
            if name not in self.opset.ops:
                continue
            for op in roots(pattern):
                for root in by_op.get(op, ()):
                    if root in self.gone or (name, root) in refused:
                        continue
                    match = self.scene.find(pattern, root)
                    if match is not None and not self.offer(match, self.opset.ops[name]):
                        refused.add((name, root))
        return self.found

    def supported(self, node: Node) -> bool:
        """Plain tensors outside of autocast: casts and subclasses would be applied to the parts."""
        value = value_of(node)
        tensors = value if isinstance(value, tuple | list) else (value,)
        if not all(type(t) in (FakeTensor, torch.Tensor) for t in tensors if isinstance(t, torch.Tensor)):
            return False
        return not self.scene.autocast[node] and not any(
            autocasts(t.device.type) for t in tensors if isinstance(t, torch.Tensor)
        )

    def offer(self, match: Match, spec: OpSpec) -> bool:
        """Asks the backends; replaces the match if one claims it. False when none does."""
        source, key = provenance_of(match.root).source, signature(match)
        if key in self.refusals:
            self.report(match, spec, source, reason=self.refusals[key])
            return False
        try:
            offer = self.prepare(match, spec)
            node = self.contract_node(spec.name, offer.values, offer.result, match.root)
            bound, reason = self.claimed(node)
        except NotMeantError as error:
            bound, reason = None, str(error)
        if bound is None:
            self.refusals[key] = reason
            self.report(match, spec, source, reason=reason)
            return False
        own = self.phase == "forward" and self.claims_backward(offer, bound)
        if not self.replace(offer, own):
            self.report(match, spec, source, reason="its strides cannot be reproduced")
            return False
        self.report(match, spec, source, backend=bound.backend.name, own_backward=own)
        return True

    def claimed(self, node: ContractNode) -> tuple[Bound | None, str]:
        """The first backend that claims a macro; else why each did not."""
        reasons = []
        for bound in self.backends:
            claim = ask(node, bound, self.phase, traced_symbols(node))
            if claim.accepted and not claim.parts_preferred:
                return bound, ""
            text = f"{claim.reason}: {claim.text}" if claim.text else str(claim.reason or Reason.PARTS)
            reasons.append(f"{bound.backend.name}: {text}")
        return None, "; ".join(reasons)

    def report(self, match: Match, spec: OpSpec, source: str, **fields: Any) -> None:
        self.found.append(RaisedMacro(spec.name, match.pattern.label, len(match.inside), source, **fields))

    # --- from a match to a call ---

    def prepare(self, match: Match, spec: OpSpec) -> Offer:
        """The macro's arguments and its traced result, which must be what the program computed."""
        captures = {k: number(traced(v)) for k, v in match.captures.items()}
        bound = bind(captures)
        for rule, prose in match.pattern.conditions:
            if parse(rule).holds(bound) is not True:
                raise NotMeantError(f"not so: {prose}")
        arguments: list[Any] = []
        for parameter in resolve(spec.name)._schema.arguments:
            arguments.append(self.argument(match, parameter.name, captures, bound))
        values = tuple(self.computed(a, match) if isinstance(a, Compute) else traced(a) for a in arguments)
        if any(
            _symbolic(v) for v, a in zip(values, arguments, strict=True) if not isinstance(a, Node | Compute)
        ):
            raise NotMeantError("an argument is symbolic")
        result = self.run_op(spec.name, values)
        first = result[0] if isinstance(result, tuple) else result
        wanted = value_of(match.root)
        if first.dtype != wanted.dtype or not same_shape(first.shape, wanted.shape):
            raise NotMeantError(
                f"the macro gives {first.dtype}{list(first.shape)}, "
                f"the program {wanted.dtype}{list(wanted.shape)}"
            )
        return Offer(match, spec, tuple(arguments), values, result)

    def argument(self, match: Match, name: str, captures: Mapping[str, Any], bound: Any) -> Any:
        """One argument of the macro for the graph: a node, a literal or a :class:`Compute`."""
        given = match.pattern.arguments.get(name, name if name in match.captures else None)
        if callable(given):
            return given(captures)
        if isinstance(given, str):
            if given in match.captures:
                captured = match.captures[given]
                if isinstance(captures[given], float):
                    return captures[given]
                return list(captured) if isinstance(captured, tuple) else captured
            return parse(given).value(bound)
        return given

    def computed(self, compute: Compute, match: Match) -> Any:
        with self.fake_mode(), torch.no_grad():
            return compute.target(
                *(traced(match.captures[a]) if isinstance(a, str) else a for a in compute.args)
            )

    def fake_mode(self) -> Any:
        return next(
            value.fake_mode for node in self.gm.graph.nodes if isinstance(value := value_of(node), FakeTensor)
        )

    def run_op(self, name: str, values: Sequence[Any]) -> Any:
        """The traced result of an operator; schema errors mean that it cannot be called so."""
        try:
            with self.fake_mode(), torch.no_grad(), enable_python_dispatcher():
                return resolve(name)(*values)
        except (RuntimeError, TypeError, ValueError, TorchportError) as error:
            raise NotMeantError(str(error).splitlines()[0]) from error

    def contract_node(self, name: str, values: Sequence[Any], result: Any, root: Node) -> ContractNode:
        """The call as a contract node that the contract allows."""
        fakes: dict[str, Any] = {}
        inputs: dict[int, Value] = {}
        args = []
        for parameter, value in zip(resolve(name)._schema.arguments, values, strict=True):
            if isinstance(value, torch.Tensor):
                if id(value) not in inputs:
                    spec = tensor_spec(value, role=Role.INPUT, requires_grad=value.requires_grad)
                    inputs[id(value)] = Value(f"arg{len(inputs)}", spec)
                    fakes[f"arg{len(inputs) - 1}"] = value
                args.append((parameter.name, inputs[id(value)]))
            else:
                args.append((parameter.name, _literal(value)))
        node, _ = make_node(root.name, name, tuple(args), result, provenance_of(root), fakes)
        values_in, outputs = tuple(inputs.values()), node.results
        names = frozenset[str]().union(
            *(v.tensor.symbols for v in (*values_in, *outputs)), *(symbols_in(a) for _, a in args)
        )
        symbols = tuple(Symbol(symbol) for symbol in sorted(names))
        broken = self.opset.violations(Graph(values_in, (node,), outputs, symbols))
        for violation in broken.values():
            raise NotMeantError(f"{violation.label}: {violation.message}")
        return node

    def claims_backward(self, offer: Offer, bound: Bound) -> bool:
        """Whether the backend claims the macro's backward operator for these arguments."""
        backward = BACKWARD.get(offer.spec.name)
        if backward is None or backward.op not in self.opset.ops:
            return False
        names = [a.name for a in resolve(offer.spec.name)._schema.arguments]
        given = dict(zip(names, offer.values, strict=True))
        first = offer.result[0] if isinstance(offer.result, tuple) else offer.result
        with self.fake_mode(), torch.no_grad():
            given["grad_output"] = torch.empty_like(first, memory_format=torch.contiguous_format)
        values = [given[name] for name in backward.arguments]
        try:
            node = self.contract_node(backward.op, values, self.run_op(backward.op, values), offer.match.root)
        except NotMeantError:
            return False
        claim = ask(node, bound, "backward", traced_symbols(node))
        return claim.accepted and not claim.parts_preferred

    # --- recurrences: one macro for each layer and direction ---

    def recurrence(self, root: Node, spec: OpSpec) -> None:
        """Raises ``torch.lstm`` or ``torch.gru`` where every layer and direction is claimed."""
        call = self.scene.call(root)
        layers = None if call is None else read(call)
        if layers is None or any(name_of(user) != "getitem" for user in root.users):
            return
        graph, added, owners = self.gm.graph, list[Node](), list[str]()
        meta = {k: root.meta[k] for k in KEPT_META if k in root.meta}
        op: Any = differentiable(spec, False) if self.phase == "forward" else resolve(spec.name)

        def create(target: Any, args: tuple[Any, ...], value: Any) -> Node:
            node = graph.call_function(target, args)
            node.meta = {**meta, "example_value": value}
            added.append(node)
            return node

        def add(target: Any, args: tuple[Any, ...]) -> Node:
            with self.fake_mode(), torch.no_grad():
                return create(target, args, target(*traced(args)))

        def macro(*args: Any) -> Node:
            values = traced(args)
            result = self.run_op(spec.name, values)
            bound, reason = self.claimed(self.contract_node(spec.name, values, result, root))
            if bound is None:
                raise NotMeantError(reason)
            owners.append(bound.backend.name)
            return create(op, args, result)

        source, reason = provenance_of(root).source, ""
        try:
            with graph.inserting_before(root):
                results = [
                    self.with_strides(result, wanted, added)
                    for result, wanted in zip(build(layers, add, macro), value_of(root), strict=True)
                ]
        except NotMeantError as error:
            results, reason = [], str(error)
        if not results:
            for node in reversed(added):
                graph.erase_node(node)
            self.found.append(RaisedMacro(spec.name, f"{layers.kind}.P1", 1, source, reason=reason))
            return
        for user in list(root.users):
            user.replace_all_uses_with(results[int(user.args[1])])  # type: ignore[arg-type]
            self.forget(user)
        self.forget(root)
        self.scene = Scene(graph)
        self.found += [RaisedMacro(spec.name, f"{layers.kind}.P1", 1, source, owner) for owner in owners]

    def with_strides(self, result: Node, wanted: torch.Tensor, added: list[Node]) -> Node:
        """``result`` under the strides of ``wanted``."""
        steps = restride(value_of(result), wanted)
        if steps is None:
            raise NotMeantError("its strides cannot be reproduced")
        for name, args in steps:
            result, meta = self.gm.graph.call_method(name, (result, *args)), result.meta
            result.meta = {**meta, "example_value": wanted}
            added.append(result)
        return result

    # --- the rewrite ---

    def replace(self, offer: Offer, own_backward: bool) -> bool:
        """Puts the macro's call in the place of the match; False when its strides cannot be the program's."""
        match, graph = offer.match, self.gm.graph
        root, wanted = match.root, value_of(match.root)
        first = offer.result[0] if isinstance(offer.result, tuple) else offer.result
        steps = restride(first, wanted)
        if steps is None:
            return False
        meta = {k: root.meta[k] for k in KEPT_META if k in root.meta}
        added: list[Node] = []

        def add(target: Any, args: tuple[Any, ...], value: Any, *, method: bool = False) -> Node:
            create = graph.call_method if method else graph.call_function
            node = create(target, args)
            node.meta = {**meta, "example_value": value}
            added.append(node)
            return node

        arguments = []
        for argument, value in zip(offer.arguments, offer.values, strict=True):
            if isinstance(argument, Compute):
                place = match.names[argument.at] if argument.at else root
                with graph.inserting_before(place):
                    inputs = tuple(match.captures[a] if isinstance(a, str) else a for a in argument.args)
                    argument = add(argument.target, inputs, value)
            arguments.append(argument)
        with graph.inserting_before(root):
            target = (
                differentiable(offer.spec, own_backward)
                if self.phase == "forward"
                else resolve(offer.spec.name)
            )
            call = add(target, tuple(arguments), offer.result)
            outputs = [call]
            if isinstance(offer.result, tuple):
                outputs = [add(getitem, (call, i), r) for i, r in enumerate(offer.result)]
            new = outputs[0]
            for name, args in steps:
                new = add(name, (new, *args), wanted, method=True)
            for name, output in match.pattern.writes:
                written = match.captures[name]
                add("copy_", (written, outputs[output]), value_of(written), method=True)
        for name, item, output in match.pattern.siblings:
            for user in list(match.names[name].users):
                if user not in match.inside and user.args[1] == item:
                    user.replace_all_uses_with(outputs[output])
                    self.forget(user)
        self.finish(match, new, added)
        return True

    def finish(self, match: Match, new: Node, added: Sequence[Node]) -> None:
        root, scene = match.root, self.scene
        for node in added:
            scene.position[node], scene.mode[node] = scene.position[root], scene.mode[root]
            scene.autocast[node] = scene.autocast[root]
        users = list(root.users)
        root.replace_all_uses_with(new)
        for user in users:
            scene.views.pop(user, None)
        for node in sorted(match.inside, key=lambda n: -scene.position[n]):
            if not node.users:
                self.forget(node)

    def forget(self, node: Node) -> None:
        self.gm.graph.erase_node(node)
        self.gone.add(node)


def signature(match: Match) -> tuple[Any, ...]:
    """What a claim on a match depends on: a refusal holds for all equal layers of a model."""

    def described(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            sizes = str((tuple(value.shape), value.stride(), value.storage_offset()))
            return value.dtype, str(value.device), value.requires_grad, sizes
        if isinstance(value, tuple | list):
            return tuple(map(described, value))
        return type(value), str(value)

    captures = tuple((name, described(traced(value))) for name, value in match.captures.items())
    return match.pattern.label, described(value_of(match.root)), captures


def traced(argument: Any) -> Any:
    """What an argument of a node was traced with."""
    if isinstance(argument, Node):
        return value_of(argument)
    if isinstance(argument, tuple | list):
        return type(argument)(traced(a) for a in argument)
    return argument


def number(value: Any) -> Any:
    """A symbolic float as the float that it is: Dynamo guards on it, as on any other constant of a model."""
    return float(value) if isinstance(value, torch.SymFloat) else value


def same_shape(a: Sequence[Any], b: Sequence[Any]) -> bool:
    """Whether two shapes are known to be one."""
    return len(a) == len(b) and all(guard_or_false(x == y) for x, y in zip(a, b, strict=True))


def _symbolic(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return any(map(_symbolic, value))
    return isinstance(value, torch.SymInt | torch.SymFloat | torch.SymBool)


def _literal(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return tuple(map(_literal, value))
    return from_torch(value) if _symbolic(value) else value
