"""The scope of the contract: every operator overload that PyTorch registers, and where it stands.

Nothing here lists operators. An overload is in the contract, or the first rule of :data:`RULES` that holds
says why not; rules read its schema, tags, dispatch keys and name. What no rule accounts for is ``open``:
a functional operator on dense tensors that the contract should have.
"""

from __future__ import annotations

import enum
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch

from torchport.contract.opset import OpSet, opset
from torchport.contract.version import LOG, ordered


class Standing(enum.StrEnum):
    """Where an overload stands."""

    CONTRACT = "contract"
    COMPOSITE = "composite"
    OUT = "out"
    OPEN = "open"


class Registered:
    """One registered overload, with what the rules read."""

    def __init__(self, schema: torch.FunctionSchema, dispatchable: bool) -> None:
        self.schema, self.dispatchable = schema, dispatchable
        self.namespace, _, self.op = schema.name.partition("::")
        self.registered = schema.name + (f".{schema.overload_name}" if schema.overload_name else "")

    @property
    def name(self) -> str:
        """``namespace.op.overload``."""
        return f"{self.namespace}.{self.op}.{self.schema.overload_name or 'default'}"

    @cached_property
    def text(self) -> str:
        """The schema as PyTorch prints it."""
        return str(self.schema)

    @cached_property
    def writes(self) -> tuple[Any, ...]:
        """Arguments that the operator writes to."""
        return tuple(a for a in self.schema.arguments if a.alias_info and a.alias_info.is_write)

    @cached_property
    def generated(self) -> bool:
        """PyTorch generated it as the functional form of a mutable operator."""
        return (
            torch.Tag.generated
            in torch._C._get_operation_overload(self.schema.name, self.schema.overload_name)[2]
        )

    def has_kernel(self, *keys: str) -> bool:
        """Whether a kernel is registered under one of these dispatch keys."""
        return self.dispatchable and any(
            torch._C._dispatch_has_kernel_for_dispatch_key(self.registered, key) for key in keys
        )

    def named(self, pattern: str) -> bool:
        """Whether ``pattern`` (a regular expression) occurs in the operator's name."""
        return re.search(pattern, self.op) is not None

    @cached_property
    def takes_tensors(self) -> bool:
        """An argument is a tensor or a list of tensors."""
        return any("Tensor" in str(a.type) for a in self.schema.arguments)

    @cached_property
    def returns_tensors(self) -> bool:
        """A result is a tensor or a list of tensors."""
        return any("Tensor" in str(r.type) for r in self.schema.returns)


@dataclass(frozen=True, slots=True)
class ScopeRule:
    """Why overloads are not contract entries: a key, a sentence, and the test."""

    key: str
    prose: str
    test: Callable[[Registered], bool]
    standing: Standing = Standing.OUT


JUDGED = ("aten", "_c10d_functional", "_c10d_functional_autograd", "quantized_decomposed", "torch_nn")
"""Namespaces whose functional operators belong in the contract unless a rule excludes them."""

NAMESPACES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "torchscript": (
        "TorchScript's operators on Python values; no captured graph holds them",
        ("prim", "static_runtime", "onnx"),
    ),
    "prims": (
        "PyTorch's own decomposition target; the contract spells the same functions in ATen",
        ("prims",),
    ),
    "quantized-tensor": (
        "the legacy quantized tensor; quantize and dequantize on plain tensors are in the contract",
        ("quantized", "_quantized", "quantization"),
    ),
    "backend-private": (
        "belongs to one of PyTorch's own backends",
        ("onednn", "mkldnn", "mkldnn_prepacked", "mkl", "inductor", "inductor_prims", "symm_mem", "_native"),
    ),
    "collective": (
        "a collective that writes into its arguments; the functional ones are _c10d_functional",
        ("c10d",),
    ),
    "sparse": ("sparse tensors", ("sparse",)),
    "tooling": (
        "profiling, debugging, export and test machinery",
        ("profiler", "debugprims", "debug_mode_ops", "export", "rngprims", "_dtensor", "_test"),
    ),
}
"""Namespaces of PyTorch that are out of scope as a whole, by reason."""


def _namespace_rule(key: str) -> ScopeRule:
    prose, namespaces = NAMESPACES[key]
    return ScopeRule(key, prose, lambda found: found.namespace in namespaces)


_KNOWN = {name for _, names in NAMESPACES.values() for name in names} | {*JUDGED, "torchport"}
_SPARSE_KEYS = ("SparseCPU", "SparseCsrCPU")
_DENSE_KEYS = ("CPU", "CUDA", "Meta", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional")

RULES: tuple[ScopeRule, ...] = (
    *(_namespace_rule(key) for key in NAMESPACES),
    ScopeRule(
        "foreign",
        "another library's namespace; OpSet.extend takes its operators in",
        lambda found: found.namespace not in _KNOWN,
    ),
    ScopeRule(
        "torchscript",
        "TorchScript's operators on Python values; no captured graph holds them",
        lambda found: not found.dispatchable,
    ),
    ScopeRule(
        "out-variant",
        "writes its result into an argument given by the caller",
        lambda found: any(a.is_out for a in found.writes) or found.schema.overload_name.endswith("out"),
    ),
    ScopeRule(
        "mutable",
        "writes to an argument; captured graphs are functional",
        lambda found: found.schema.is_mutable,
    ),
    ScopeRule("named-dimension", "named dimensions", lambda found: "Dimname" in found.text),
    ScopeRule(
        "generator",
        "takes a generator object, which is host state; the overload without it is in the contract",
        lambda found: "Generator" in found.text and "generator" in found.schema.overload_name,
    ),
    ScopeRule(
        "composite",
        "PyTorch's own CompositeImplicitAutograd kernel breaks it up before a backend can see it",
        lambda found: found.has_kernel("CompositeImplicitAutograd"),
        Standing.COMPOSITE,
    ),
    ScopeRule(
        "test",
        "exists for PyTorch's own tests",
        lambda found: found.named(r"^_test_|^_foobar$"),
    ),
    ScopeRule(
        "nested",
        "nested (jagged) tensors",
        lambda found: (
            found.named(r"nested|jagged|padded_tensor|_padded_dense")
            or (found.has_kernel("NestedTensorCPU") and not found.has_kernel(*_DENSE_KEYS))
        ),
    ),
    ScopeRule(
        "sparse",
        "sparse tensors",
        lambda found: (
            found.named(r"sparse|cslt|spmm|_spsolve|_spdiags|_coo|_csr|coalesce|_nnz$|sparse_dim|dense_dim")
            or found.named(r"^_?(values|indices|(c?crow|ccol|row|col)_indices)(_copy)?$")
            or (found.has_kernel(*_SPARSE_KEYS) and not found.has_kernel(*_DENSE_KEYS))
        ),
    ),
    ScopeRule(
        "quantized-tensor",
        "the legacy quantized tensor; quantize and dequantize on plain tensors are in the contract",
        lambda found: (
            found.named(
                r"^quantized?_|^dequantize$|_quantized|^q_|^qscheme$|^int_repr$|^fbgemm|quantized_tensor"
            )
            or (found.has_kernel("QuantizedCPU") and not found.has_kernel(*_DENSE_KEYS))
        ),
    ),
    ScopeRule(
        "backend-private",
        "belongs to one of PyTorch's own backends",
        lambda found: (
            found.named(
                r"cudnn|miopen|mps|mkldnn|mkl_|nnpack|vulkan|xnnpack|onednn|^_triton|_cpu_fallback|overrideable"
            )
            or found.named(r"^_mixed_dtypes_linear$")
            or (found.has_kernel("MkldnnCPU") and not found.has_kernel(*_DENSE_KEYS))
        ),
    ),
    ScopeRule(
        "storage",
        "changes or inspects the storage behind a tensor; values in a functional graph have none",
        lambda found: found.named(
            r"^(set|resize|resize_as|_resize_output|is_set_to|_has_same_storage_numel|_lazy_clone|from_file|"
            r"_pin_memory|is_pinned|_copy_from|_copy_from_and_resize|_cow_.*|zero|slice_inverse)$"
        ),
    ),
    ScopeRule(
        "autograd",
        "machinery of autograd and functorch, gone once the backward graph is captured",
        lambda found: found.named(
            r"^(_fw_primal|_make_dual|_unpack_dual|_new_zeros_with_same_feature_meta|lift|lift_fresh|"
            r"_make_dep_token|_pack_padded_sequence|_version|_wrap_tensor_autograd)(_copy)?$"
        ),
    ),
    ScopeRule(
        "internal",
        "called by another operator's kernel only; no captured graph holds it",
        lambda found: found.named(r"^(_compute_linear_combination|_efficient_attention_backward)$"),
    ),
    ScopeRule(
        "shortcut",
        "an inference shortcut that a module takes only while nothing is traced",
        lambda found: found.named(r"^(_transformer_encoder_layer_fwd|_native_multi_head_attention)$"),
    ),
    ScopeRule(
        "packed",
        "computes on weights packed for one instruction set; products on plain weights are in the contract",
        lambda found: found.named(r"_for_cpu$|^_dyn_quant_|_with_scales_and_zeros$"),
    ),
    ScopeRule(
        "float8-attention",
        "attention on float8 operands, which one generation of GPUs computes and nothing else can check",
        lambda found: found.schema.overload_name == "quantized" and found.named("flash_attention"),
    ),
    ScopeRule(
        "keyed-random",
        "random numbers by explicit keys, which PyTorch computes on CUDA only and has not settled",
        lambda found: found.named(r"^_philox_"),
    ),
    ScopeRule(
        "message",
        "a message between two ranks; what arrives is no function of the operands",
        lambda found: found.named(r"^(isend|irecv|batch_p2p_ops)$"),
    ),
    ScopeRule(
        "no-shape-function",
        "a kernel of one device without a shape function; no trace can hold it",
        lambda found: (
            not found.has_kernel(
                "Meta", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional"
            )
        ),
    ),
    ScopeRule(
        "host",
        "answers a question about metadata or acts on the host; no tensor comes out",
        lambda found: not found.returns_tensors and not found.generated,
    ),
)
RETIRED = ScopeRule(
    "retired", "an older contract version had it; this one expresses it by others", lambda found: True
)
LATER = ScopeRule("later", "a later contract version has it", lambda found: True)


@dataclass(frozen=True, slots=True)
class ScopeRow:
    """One overload. ``reason`` is the key of the rule that accounts for it, or the contract's tier."""

    name: str
    standing: Standing
    reason: str


@dataclass(frozen=True)
class Scope:
    """Every overload of the running PyTorch, in order of name."""

    opset: str
    torch: str
    rows: tuple[ScopeRow, ...]

    @cached_property
    def open(self) -> tuple[str, ...]:
        """Overloads that nothing accounts for."""
        return tuple(row.name for row in self.rows if row.standing is Standing.OPEN)

    @cached_property
    def counts(self) -> Mapping[str, Mapping[str, int]]:
        """Number of overloads by standing and reason, most first."""
        found: dict[str, Counter[str]] = {standing.value: Counter() for standing in Standing}
        for row in self.rows:
            found[row.standing.value][row.reason] += 1
        return {standing: dict(counted.most_common()) for standing, counted in found.items()}

    def to_dict(self) -> dict[str, Any]:
        """Plain data: counts, what is open, and every row."""
        return {
            "opset": self.opset,
            "torch": self.torch,
            "overloads": len(self.rows),
            "counts": self.counts,
            "open": list(self.open),
            "rows": [{"name": r.name, "standing": r.standing.value, "reason": r.reason} for r in self.rows],
        }


def registered() -> tuple[Registered, ...]:
    """Every overload that PyTorch and the libraries loaded beside it have registered, in order of name."""
    dispatchable = set(torch._C._dispatch_get_all_op_names())
    found = [Registered(schema, False) for schema in torch._C._jit_get_all_schemas()]
    for overload in found:
        overload.dispatchable = overload.registered in dispatchable
    unique = {overload.name: overload for overload in found if overload.namespace != "torchport"}
    return tuple(unique[name] for name in sorted(unique))


def account_for(overload: Registered, contract: OpSet) -> ScopeRow:
    """Where one overload stands."""
    spec = contract.ops.get(overload.name)
    if spec is not None:
        return ScopeRow(overload.name, Standing.CONTRACT, spec.tier.value)
    if overload.name in contract.retired:
        return ScopeRow(overload.name, Standing.OUT, RETIRED.key)
    for rule in RULES:
        if rule.test(overload):
            return ScopeRow(overload.name, rule.standing, rule.key)
    newer = [opset(v).ops.get(overload.name) for v in LOG if ordered(v) > ordered(contract.base)]
    if any(spec is not None and ordered(spec.since) > ordered(contract.base) for spec in newer):
        return ScopeRow(overload.name, Standing.OUT, LATER.key)
    return ScopeRow(overload.name, Standing.OPEN, "open")


def scope(contract: OpSet, overloads: Iterable[Registered] | None = None) -> Scope:
    """Accounts for every registered overload (or those given) against a contract version."""
    rows = tuple(account_for(overload, contract) for overload in overloads or registered())
    return Scope(contract.version, torch.__version__, rows)


def reasons() -> Mapping[str, str]:
    """The sentence behind each reason key."""
    return {rule.key: rule.prose for rule in reversed((*RULES, RETIRED, LATER))}
