"""Markers of motion capture: gaps made in clips without any, and filled.

    python benchmarks/markers.py gaps walk.trc run.c3d --seconds 0.5

Files are given by their paths. In each clip, every marker that is seen in all frames is hidden in turn for so
long, from a random frame on (and `--together` more with it, those nearest); what is filled is held against
what was seen. "mean" is over all frames of all gaps, "p90" the 90th percentile of the greatest error of each
gap [mm]; of the chosen method for gaps that were not left open, of single ones for all.
"""

# ruff: noqa: E402  (the number of threads is read when NumPy is imported)

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import argparse
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from time import process_time

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))  # for a checkout that is not installed

import numpy as np

import limbik
from limbik.motion import fill_gaps
from limbik.spatial import norm
from machine import progress, surroundings
from report import table

SINGLE = ("spline", "rigid", "pca", "regression")


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    studies = parser.add_subparsers(required=True)
    gaps = studies.add_parser("gaps", help="how well gaps are filled")
    gaps.add_argument("files", nargs="+")
    gaps.add_argument("--seconds", type=float, default=0.5)
    gaps.add_argument(
        "--together", type=int, default=0, help="how many of the nearest markers are hidden, too"
    )
    gaps.add_argument("--seed", type=int, default=0)
    gaps.set_defaults(study=gap_table)
    options = parser.parse_args(argv)
    print(options.study(options))
    print(", ".join(f"{name}: {value}" for name, value in surroundings().items()))


# --- gaps ---------------------------------------------------------------------------------------------------


def gap_table(options: argparse.Namespace) -> str:
    header = ["file", "markers", "gaps"]
    header += [f"{method} {figure}" for method in (*SINGLE, "chosen") for figure in ("mean", "p90")]
    header += ["expected", "left open", "ms a gap"]
    rows, everything = [], []
    for file in options.files:
        progress(file)
        found = list(gap_runs(file, options))
        everything += found
        rows.append([Path(file).name, str(len({each["marker"] for each in found})), *figures(found)])
    return table(header, [*rows, ["all", "", *figures(everything)]])


def gap_runs(file: str, options: argparse.Namespace) -> Iterator[dict]:
    """For each gap: errors [mm] over its frames by method."""
    markers = without_gaps(limbik.load_markers(file))
    length = round(options.seconds / markers.dt)
    rng = np.random.default_rng(options.seed)
    for marker in range(len(markers.names)):
        first = int(rng.integers(1, len(markers) - length))
        gap = slice(first, first + length)
        apart = np.median(norm(markers.positions - markers.positions[:, marker, None]), axis=0)
        places = markers.positions.copy()
        places[gap, np.argsort(apart)[: options.together + 1]] = np.nan
        spoilt = replace(markers, positions=places)
        began = process_time()
        result = filled(spoilt, markers, marker, gap)
        run = {"marker": marker, "seconds": process_time() - began, "chosen": result}
        for method in SINGLE:
            run[method] = filled(spoilt, markers, marker, gap, methods=[method], max_error_mm=1e9)
        yield run


def without_gaps(markers: limbik.Markers) -> limbik.Markers:
    """The markers that are seen in all frames."""
    whole = np.flatnonzero(np.isfinite(markers.positions[..., 0]).all(axis=0))
    return replace(
        markers, names=tuple(markers.names[k] for k in whole), positions=markers.positions[:, whole]
    )


def filled(
    spoilt: limbik.Markers, truth: limbik.Markers, marker: int, gap: slice, **options: object
) -> tuple[np.ndarray, float]:
    """Errors [mm] of a marker in a gap, nan where it was left open, and the expected one."""
    found = fill_gaps(spoilt, **options)
    expected = next(each.expected_error_mm for each in found.gaps if each.marker == truth.names[marker])
    return 1e3 * norm(found.markers.positions[gap, marker] - truth.positions[gap, marker]), expected


def figures(runs: Sequence[dict]) -> list[str]:
    cells = [str(len(runs))]
    for method in (*SINGLE, "chosen"):
        errors = [run[method][0] for run in runs if np.isfinite(run[method][0]).all()]
        cells += [
            f"{np.mean(np.concatenate(errors)):.1f}",
            f"{np.percentile([e.max() for e in errors], 90):.1f}",
        ]
    expected = [run["chosen"][1] for run in runs if np.isfinite(run["chosen"][0]).all()]
    open_ones = sum(not np.isfinite(run["chosen"][0]).all() for run in runs)
    seconds = math.fsum(run["seconds"] for run in runs) / len(runs)
    return [*cells, f"{np.mean(expected):.1f}", str(open_ones), f"{1e3 * seconds:.0f}"]


if __name__ == "__main__":
    main()
