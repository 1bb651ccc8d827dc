"""Make the bitcode of the programs that come with limbik: python tools/make_programs.py [--check | NAME ...]

Without names: of those whose kernels have changed. --check says which these are, and makes nothing.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from time import perf_counter

import limbik
from limbik.analytic.closed_form import Family
from limbik.analytic.programs import many_poses_program, one_pose_program
from limbik.compiler.native import BITCODE
from limbik.compiler.program import Program
from limbik.errors import did_you_mean
from limbik.serial.programs import many_problems, one_problem
from limbik.serial.seed_table import Shape
from limbik.solvers import names
from limbik.solvers.classical_plan import method_of
from limbik.solvers.registry import get
from limbik.tree.programs import by_method

PACKAGE = Path(limbik.__file__).parent
ANY_SHAPE = Shape("R", 0)  # the bitcode is the same for all
MADE_FROM = BITCODE / "made_from.json"  # fingerprints of kernels by program


def programs() -> dict[str, Program]:
    """Every program that comes with the package, by name."""
    found = [
        one_problem(ANY_SHAPE),
        *(many_problems(ANY_SHAPE, single) for single in (False, True)),
        one_pose_program(Family.THREE_PARALLEL),
        many_poses_program(Family.THREE_PARALLEL),
        *(make() for make in without_parameters()),
    ]
    found += [by_method(method_of(get(name))) for name in names(compiled=True)]
    return {program.name: program for program in found}


def without_parameters() -> Iterator[Callable[[], Program]]:
    """The functions of the package that take nothing and return a program."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if "() -> Program:" in path.read_text():
            parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
            values = vars(importlib.import_module(".".join(parts))).values()
            for value in values:
                if getattr(value, "__annotations__", None) == {"return": "Program"}:
                    yield value


def made_from() -> dict[str, str | None]:
    """Fingerprints of the kernels that the bitcode is of, by name of the program."""
    return json.loads(MADE_FROM.read_text()) if MADE_FROM.exists() else {}


def stale() -> dict[str, str]:
    """Why each program that is to be made anew is, by its name."""
    before, reasons = made_from(), {}
    for name, program in programs().items():
        if not (BITCODE / f"{name}.bc.xz").exists():
            reasons[name] = "it has no bitcode"
        elif name not in before:
            reasons[name] = f"{MADE_FROM.name} does not say what its bitcode was made from"
        elif before[name] != program.fingerprint:
            reasons[name] = "its kernels, or what they call, are not those that its bitcode was made from"
    return reasons


def check() -> int:
    """Print the programs that are to be made anew; 1 where there is one."""
    reasons = stale()
    for name, reason in reasons.items():
        print(f"{name}: {reason}")
    return int(bool(reasons))


def make(name: str) -> str:
    """Make one, and say so."""
    from limbik.compiler.make import bitcode

    began = perf_counter()
    code = bitcode(programs()[name])
    (BITCODE / f"{name}.bc.xz").write_bytes(code)
    return f"{name}: {len(code):,} bytes in {perf_counter() - began:.1f} s"


def main(chosen: list[str]) -> None:
    BITCODE.mkdir(exist_ok=True)
    known, made = programs(), chosen or list(stale())
    for name in made:
        if name not in known:
            raise SystemExit(f"there is no program {name!r}; {did_you_mean(name, known)}")
    with ProcessPoolExecutor(2) as pool:
        for text in pool.map(make, made):
            print(text, flush=True)
    for file in BITCODE.glob("*.bc.xz"):
        if file.name.removesuffix(".bc.xz") not in known:
            file.unlink()
    before = made_from()
    now = {name: known[name].fingerprint if name in made else before.get(name) for name in sorted(known)}
    MADE_FROM.write_text(json.dumps(now, indent=1) + "\n")


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(check())
    main(sys.argv[1:])
