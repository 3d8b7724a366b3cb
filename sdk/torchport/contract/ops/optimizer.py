"""Fused optimizer steps over lists of parameters, and loss scaling for mixed precision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from torchport.contract.decompositions import optimizer as decompose
from torchport.contract.ops.builders import FLAG, FLOATS, Decomposition, Rule, derived, entry
from torchport.contract.spec import Category, Numerics, Operand, OpSpec

STEP = derived(4, special=("by-decomposition",))
RATE = Operand(choices=(0.05,))
DECAY = Operand(choices=(0.0, 0.1))
SCALING = {"grad_scale": ("float32",), "found_inf": ("float32",)}
SCALES = {
    "grad_scale": Operand("[]", "positive", optional=True),
    "found_inf": Operand("[]", "bool", optional=True),
}
VALUES = {"exp_avg_sqs": "positive", "max_exp_avg_sqs": "positive", "state_sums": "positive"}


def _step(
    name: str,
    lists: Sequence[str],
    decomposition: Decomposition,
    operands: Mapping[str, Operand],
    *,
    results: Sequence[str],
    optional: Mapping[str, str] | None = None,
) -> OpSpec:
    """A step over ``lists`` of one length; those in ``optional`` are empty unless a rule holds."""
    state = optional or {}
    overload = name.rpartition(".")[2]
    rate = {"lr": Operand("[]", "probability") if overload == "tensor_lr" else RATE}
    steps: Mapping[str, tuple[str, ...]] = {"state_steps": ("float32",)} if "state_steps" in lists else {}
    tensors = [n for n in lists if n != "state_steps"]
    same: list[Rule] = [
        (f"len({n}) == len(self)", "the lists have one length") for n in lists[1:] if n not in state
    ]
    used: list[Rule] = [
        (f"{n} == (self if {rule} else [])", "state is kept where it is used") for n, rule in state.items()
    ]
    return entry(
        f"aten.{name}",
        category=Category.ELEMENTWISE,
        accepts={
            "self": FLOATS,
            **dict.fromkeys(tensors[1:], ("same:self",)),
            **steps,
            **({"lr": ("float32",)} if overload == "tensor_lr" else {}),
            **SCALING,
        },
        results=[f"each:same:{n}" for n in results],
        shape=list(results),
        layout=("eager",) * len(results),
        numerics=STEP,
        operands={
            **{n: Operand("*S", VALUES.get(n, "any")) for n in tensors},
            **({"state_steps": Operand("[]", "positive")} if steps else {}),
            **rate,
            **operands,
            **{n: Operand(f"=self if {rule} else []", VALUES.get(n, "any")) for n, rule in state.items()},
            **SCALES,
        },
        constraints=(("len(self) > 0", "there are parameters"), *same, *used),
        errors=(("len(grads) != len(self)", "there is not one gradient for each parameter"),),
        decomposition=decomposition,
    )


ADAM = ("self", "grads", "exp_avgs", "exp_avg_sqs", "max_exp_avg_sqs", "state_steps")
ADAM_OPERANDS = {
    "beta1": Operand(choices=(0.9,)),
    "beta2": Operand(choices=(0.999,)),
    "weight_decay": DECAY,
    "eps": Operand(choices=(1e-8,)),
    "amsgrad": FLAG,
    "maximize": FLAG,
}
SGD_OPERANDS = {
    "weight_decay": DECAY,
    "momentum": Operand(choices=(0.9, 0.0)),
    "dampening": Operand(choices=(0.0, 0.25)),
    "nesterov": FLAG,
    "maximize": FLAG,
    "is_first_step": FLAG,
}
SGD = ("self", "grads", "momentum_buffer_list")
ADAGRAD = ("self", "grads", "state_sums", "state_steps")
ADAGRAD_OPERANDS = {
    "lr_decay": Operand(choices=(0.0, 0.1)),
    "weight_decay": DECAY,
    "eps": Operand(choices=(1e-8,)),
    "maximize": FLAG,
}

STEPS = (
    *(
        _step(
            f"_fused_{name}.{overload}",
            ADAM,
            decomposition,
            ADAM_OPERANDS,
            results=ADAM[:5],
            optional={"max_exp_avg_sqs": "amsgrad"},
        )
        for name, decomposition in (("adam", decompose.fused_adam), ("adamw", decompose.fused_adamw))
        for overload in ("default", "tensor_lr")
    ),
    *(
        _step(
            f"_fused_sgd.{overload}",
            SGD,
            decompose.fused_sgd,
            SGD_OPERANDS,
            results=SGD,
            optional={"momentum_buffer_list": "momentum != 0"},
        )
        for overload in ("default", "tensor_lr")
    ),
    _step("_fused_adagrad.default", ADAGRAD, decompose.fused_adagrad, ADAGRAD_OPERANDS, results=ADAGRAD),
    _step(
        "_fused_adagrad.tensor_lr",
        ADAGRAD,
        decompose.fused_adagrad_tensor_lr,
        ADAGRAD_OPERANDS,
        results=ADAGRAD[:3],
    ),
)

SCALERS = (
    entry(
        "aten._amp_foreach_non_finite_check_and_unscale.default",
        category=Category.ELEMENTWISE,
        accepts={"self": FLOATS, "found_inf": ("float32",), "inv_scale": ("float32",)},
        results=("each:same:self", "float32"),
        shape=("self", "found_inf"),
        layout=("eager", "eager"),
        numerics=derived(2, special=("by-decomposition",)),
        operands={
            "self": Operand("*S"),
            "found_inf": Operand("[1]", "bool"),
            "inv_scale": Operand("[1]", "positive"),
        },
        constraints=(
            ("len(self) > 0", "there are gradients"),
            ("numel(found_inf) == 1 and numel(inv_scale) == 1", "one flag and one scale"),
        ),
        errors=(("numel(inv_scale) != 1", "the scale is not a single number"),),
        decomposition=decompose.unscale,
    ),
    entry(
        "aten._amp_update_scale.default",
        category=Category.ELEMENTWISE,
        accepts={"self": ("float32",), "growth_tracker": ("int32",), "found_inf": ("float32",)},
        results=("float32", "int32"),
        shape=("self", "growth_tracker"),
        layout=("eager", "eager"),
        numerics=Numerics("exact", special=("own-precision",)),
        operands={
            "self": Operand("[1]", "positive"),
            "growth_tracker": Operand("[1]", "index(3)"),
            "found_inf": Operand("[1]", "bool"),
            "scale_growth_factor": Operand(choices=(2.0, 3.4e38)),
            "scale_backoff_factor": Operand(choices=(0.5,)),
            "growth_interval": Operand(choices=(1, 3)),
        },
        constraints=(
            ("numel(self) == 1 and numel(growth_tracker) == 1 and numel(found_inf) == 1", "single numbers"),
        ),
        errors=(("numel(found_inf) != 1", "the flag is not a single number"),),
        decomposition=decompose.update_scale,
    ),
)

ENTRIES: tuple[OpSpec, ...] = (*STEPS, *SCALERS)
