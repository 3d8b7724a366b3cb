"""Scheduling: the loop order of a kernel, which loop is vectorised, and how many passes a row takes.

A kernel has one of three forms:

* ``pointwise``: no reduction. Outer loops and blocks of the innermost loop run in parallel.
* ``rows``: the innermost (contiguous) dimension is reduced. Rows run in parallel; a row is passed over once
  per level of reductions that depend on each other (softmax: maximum, sum, quotient). What is costly is kept
  in a row buffer. Reductions over all rows may ride along: each chunk of rows has accumulators for them.
* ``columns``: the innermost dimension is kept, so lanes belong to different results. Accumulators are arrays.

Where there are few rows and one pass, the outermost reduced loop is split into chunks with partial results
that are combined in order; the number of chunks depends on sizes alone, so results do not depend on the
number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from torchport.loops.expand import Dim, operands
from torchport.loops.fusion import Kernel, Store
from torchport.loops.index import ONE, ZERO, Atom, Index, evaluate, only_atom, var
from torchport.loops.ir import Expr

KEEP_COST = 8
"""Cost from which a value used by several passes is kept in a row buffer."""
FEW_ROWS = 32
SPLIT_WORK = 1 << 15


@dataclass(frozen=True)
class Pass:
    """One sweep over the reduced dimensions: reductions that end with it, stores made in it, values it keeps.

    ``columns`` are reductions over all rows that get their contribution of this row in it.
    """

    reductions: tuple[Expr, ...]
    stores: tuple[Store, ...]
    keeps: tuple[Expr, ...] = ()
    columns: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class Schedule:
    """A kernel ready to be printed.

    ``outer`` are the parallel loops; ``inner`` the loops of a pass, outermost first (without the vectorised
    one); ``lanes`` is the vectorised loop. ``rename`` turns variables of the kernel's space into loop
    variables. ``row_stores`` are written once per row, ``column_stores`` once per reduced coordinate, after
    all rows. ``split`` says that ``inner`` (or ``lanes``) is cut into chunks. ``turned`` is an outer
    dimension along which some operand is contiguous while it is not along the lanes: it runs inside the
    vectorised loop, in blocks, so that cache lines are used whole.
    """

    form: str
    outer: tuple[Dim, ...]
    inner: tuple[Dim, ...]
    lanes: Dim
    passes: tuple[Pass, ...]
    row_stores: tuple[Store, ...]
    column_stores: tuple[Store, ...]
    split: bool
    rename: Mapping[Atom, Index]
    kernel: Kernel
    turned: Dim | None = None

    def index(self, index: Index) -> Index:
        """An index over loop variables."""
        return index.replace(self.rename)

    def deps(self, expr: Expr) -> frozenset[Atom]:
        """Loop variables that an expression varies with."""
        found: set[Atom] = set()
        for atom in expr.deps:
            found.update(leaf for leaf in self.rename[atom].leaves() if leaf.kind == "var")
        return frozenset(found)


def schedule(kernel: Kernel, hints: Mapping[str, int]) -> Schedule:
    """Orders, collapses and vectorises the loops of a kernel. ``hints`` are example values of symbols."""
    return _Scheduler(kernel, hints).run()


class _Scheduler:
    def __init__(self, kernel: Kernel, hints: Mapping[str, int]) -> None:
        self.kernel, self.hints = kernel, hints
        self.exprs = reachable(s.expr for s in kernel.stores)
        self.accesses = [s.index for s in kernel.stores]
        self.accesses += [e.at for e in self.exprs if e.op == "load"]
        self.fixed = [e.attr for e in self.exprs if e.op == "index"]
        self.reducing = bool(kernel.space.reduced)

    def run(self) -> Schedule:
        kept = self._ordered([d for d in self.kernel.space.dims if not d.reduced])
        reduced = self._ordered([d for d in self.kernel.space.dims if d.reduced])
        rename = {d.var: Index({(d.var,): 1}) for d in self.kernel.space.dims}
        kept, reduced = self._collapsed(kept, rename), self._collapsed(reduced, rename)
        unit = Dim(only_atom(var("i", ONE)), ONE, False)
        if not self.reducing:
            lanes = kept.pop() if kept else unit
            turned = next((d for d in kept if self._crosses(d, lanes, rename)), None)
            outer = [d for d in kept if d is not turned]
            return replace(self._finish("pointwise", outer, [], lanes, rename), turned=turned)
        crossing = any(e.op == "reduce" and e.attr[1] != self.kernel.space.reduced for e in self.exprs)
        if (
            kept
            and not crossing
            and self._contiguous(kept[-1], reduced, rename) > self._contiguous(reduced[-1], reduced, rename)
        ):
            lanes = kept.pop()
            return self._finish("columns", kept, reduced, lanes, rename)
        lanes = reduced.pop()
        return self._finish("rows", kept, reduced, lanes, rename)

    # --- loop order -----------------------------------------------------------------------------------------

    def _ordered(self, dims: list[Dim]) -> list[Dim]:
        """By falling stride of the first access that has all of them."""
        for access in self.accesses:
            strides = self._strides(access, dims)
            if strides is not None:
                return sorted(dims, key=lambda d: -strides[d.var])
        return list(dims)

    def _strides(self, access: Index, dims: list[Dim]) -> dict[Atom, int] | None:
        strides: dict[Atom, int] = {}
        for d in dims:
            c = access.coefficient(d.var)
            if c is None or not c.terms or any(a.kind != "sym" for a in c.leaves()):
                return None
            strides[d.var] = evaluate(c, self.hints)
        return strides

    def _collapsed(self, dims: list[Dim], rename: dict[Atom, Index]) -> list[Dim]:
        """Merges neighbours that every access walks through as one dimension."""
        out: list[Dim] = []
        for d in dims:
            if out and self._mergeable(out[-1], d, rename):
                before = out.pop()
                size = before.size * d.size
                merged = Dim(only_atom(var(d.var.name, size)), size, d.reduced)
                new = {before.var: ZERO, d.var: Index({(merged.var,): 1})}
                for atom, index in rename.items():
                    rename[atom] = index.replace(new)
                out.append(merged)
            else:
                out.append(d)
        return out

    def _mergeable(self, a: Dim, b: Dim, rename: Mapping[Atom, Index]) -> bool:
        for index in (*self.accesses, *self.fixed):
            index = index.replace(rename)
            ca, cb = index.coefficient(a.var), index.coefficient(b.var)
            if ca is None or cb is None or ca != cb * b.size:
                return False
            if any(leaf in (a.var, b.var) for c in (ca, cb) for leaf in c.leaves()):
                return False
        return True

    def _contiguous(self, d: Dim, swept: list[Dim], rename: Mapping[Atom, Index]) -> int:
        """How many accesses of every point are contiguous along ``d``; those of a row happen once a row."""
        variables = {other.var for other in swept}
        accesses = (access.replace(rename) for access in self.accesses)
        return sum(
            index.coefficient(d.var) == ONE and not variables.isdisjoint(index.leaves()) for index in accesses
        )

    def _crosses(self, d: Dim, lanes: Dim, rename: Mapping[Atom, Index]) -> bool:
        """Whether some operand is contiguous along ``d`` and strided along ``lanes``."""
        for index in (access.replace(rename) for access in self.accesses):
            stride = index.coefficient(lanes.var)
            if index.coefficient(d.var) == ONE and stride is not None and stride.terms and stride != ONE:
                return True
        return False

    # --- passes ---------------------------------------------------------------------------------------------

    def _finish(
        self, form: str, outer: list[Dim], inner: list[Dim], lanes: Dim, rename: dict[Atom, Index]
    ) -> Schedule:
        bare = Schedule(form, tuple(outer), tuple(inner), lanes, (), (), (), False, rename, self.kernel)
        if form == "pointwise":
            return replace(bare, inner=(), passes=(Pass((), self.kernel.stores),))
        swept = {d.var for d in inner} | ({lanes.var} if form == "rows" else set())

        def varies(store: Store) -> bool:
            found = {leaf for leaf in bare.index(store.index).leaves() if leaf.kind == "var"}
            return bool((found | bare.deps(store.expr)) & swept)

        totals = [e for e in self.exprs if e.op == "reduce"]
        crossing = [e for e in totals if e.attr[1] != self.kernel.space.reduced]
        column = tuple(s for s in self.kernel.stores if any(e in crossing for e in reachable([s.expr])))
        full = [s for s in self.kernel.stores if s not in column and varies(s)]
        row = tuple(s for s in self.kernel.stores if s not in column and s not in full)
        count = max([e.depth for e in totals] + [s.expr.depth + 1 for s in full], default=1)
        passes = [
            Pass(
                tuple(e for e in totals if e.depth == p + 1 and e not in crossing),
                tuple(s for s in full if s.expr.depth == p),
                (),
                tuple(e for e in crossing if e.depth == p + 1),
            )
            for p in range(count)
        ]
        if form == "rows":
            passes = self._with_keeps(passes, lambda e: bool(bare.deps(e) & swept))
        rows = evaluate(self.kernel.space.rows, self.hints)
        work = evaluate(self.kernel.space.total, self.hints)
        few = len(passes) == 1 and work >= SPLIT_WORK and (form == "columns" or rows < FEW_ROWS)
        split = few and not column
        return replace(bare, passes=tuple(passes), row_stores=row, column_stores=column, split=split)

    def _with_keeps(self, passes: list[Pass], varies: Callable[[Expr], bool]) -> list[Pass]:
        first: dict[int, int] = {}
        keeps: list[dict[int, Expr]] = [{} for _ in passes]

        kept: set[int] = set()

        costs: dict[int, int] = {}

        def cost(e: Expr) -> int:
            """The cost of a value when kept ones are read."""
            if e.uid in kept:
                return 1
            if e.uid not in costs:
                costs[e.uid] = e.cost - sum(a.cost - cost(a) for a in e.args)
            return costs[e.uid]

        def visit(e: Expr, at: int, seen: set[int]) -> None:
            if e.uid in seen:
                return
            seen.add(e.uid)
            known = first.setdefault(e.uid, at)
            if known < at and (not varies(e) or cost(e) >= KEEP_COST):
                if varies(e) and e.op != "load":
                    keeps[known][e.uid] = e
                    kept.add(e.uid)
                    costs.clear()
                return
            if e.op != "reduce":
                for a in operands(e):
                    visit(a, at, seen)

        for at, p in enumerate(passes):
            seen: set[int] = set()
            for root in (
                *(a for e in (*p.reductions, *p.columns) for a in e.args),
                *(s.expr for s in p.stores),
            ):
                visit(root, at, seen)
        return [replace(p, keeps=tuple(keeps[k].values())) for k, p in enumerate(passes)]


def reachable(roots: Iterable[Expr]) -> tuple[Expr, ...]:
    """Every expression below the roots, operands first."""
    seen: dict[int, Expr] = {}

    def visit(e: Expr) -> None:
        if e.uid in seen:
            return
        for a in operands(e):
            visit(a)
        seen[e.uid] = e

    for root in roots:
        visit(root)
    return tuple(seen.values())
