"""Motion capture cleaned up: gaps of markers, bones that stretch, markers that move a skeleton.

    python benchmarks/markers.py gaps walk.trc run.c3d --seconds 0.5
    python benchmarks/markers.py lengths walk.bvh
    python benchmarks/markers.py solve subject01_walk1.trc

Files are given by their paths.

Gaps: in each clip, every marker that is seen in all frames is hidden in turn for so
long, from a random frame on (and `--together` more with it, those nearest); what is filled is held against
what was seen. "mean" is over all frames of all gaps, "p90" the 90th percentile of the greatest error of each
gap [mm]; of the chosen method for gaps that were not left open, of single ones for all.

Lengths: every bone of a BVH is given position channels, by which its length varies by up to `--share` in each
frame; then all bones get one length.

Solve: limbik's model "human", or a BVH, follows markers with the names of OpenSim's model Gait2392. The
time of a frame is that of a clip whose calibration is known, with all that comes before its first frame.
Then the names of two markers at least `--apart` from each other are exchanged for 20 frames, at random, and
a marker is moved by 10 to 40 cm; "as others" counts what else is reported then.
"""

# ruff: noqa: E402  (the number of threads is read when NumPy is imported)

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("LIMBIK_COMPILE", "first")  # nothing is timed while the compiler is at work

import argparse
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from time import process_time

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent / "src"), str(HERE.parent / "tests")]

import numpy as np

import limbik
from limbik.motion import fill_gaps, fit_limb_lengths, solve_markers
from limbik.spatial import norm
from machine import progress, surroundings
from motion.stretching import stretching
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
    lengths = studies.add_parser("lengths", help="how well hands and feet stay when bones get one length")
    lengths.add_argument("files", nargs="+")
    lengths.add_argument("--unit", default="cm")
    lengths.add_argument("--share", type=float, default=0.02)
    lengths.add_argument("--seed", type=int, default=0)
    lengths.set_defaults(study=length_table)
    solve = studies.add_parser("solve", help="how well and how fast markers move a skeleton")
    solve.add_argument("files", nargs="+")
    solve.add_argument("--skeleton", help="a BVH in place of limbik's model of a human")
    solve.add_argument("--unit", default="cm", help="of the skeleton")
    solve.add_argument("--planted", type=int, default=50)
    solve.add_argument("--apart", type=float, default=0.1)
    solve.add_argument("--seed", type=int, default=0)
    solve.set_defaults(study=solve_table)
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


# --- bones --------------------------------------------------------------------------------------------------


def length_table(options: argparse.Namespace) -> str:
    header = [
        "file",
        "frames",
        "bones",
        "bones off",
        "ends, old angles",
        "new angles",
        "at most",
        "ms a frame",
    ]
    size = float(options.unit) if options.unit[0].isdigit() else options.unit
    rows = []
    for file in options.files:
        progress(file)
        truth = limbik.load_motion(file, unit=size)
        stretched = stretching(truth, options.share, options.seed)
        began = process_time()
        fitted = fit_limb_lengths(stretched)
        seconds = process_time() - began
        true = {bone.link: bone.length_m for bone in fit_limb_lengths(truth, keep=[]).bones}
        off = [abs(bone.length_m - true[bone.link]) for bone in fitted.bones]
        rows.append(
            [
                Path(file).name,
                str(len(truth)),
                str(len(fitted.bones)),
                f"{1e3 * np.mean(off):.1f} mm",
                f"{np.mean([each.unsolved_mm for each in fitted.kept]):.1f} mm",
                f"{np.mean([each.mean_mm for each in fitted.kept]):.1f} mm",
                f"{max(each.peak_mm for each in fitted.kept):.1f} mm",
                f"{1e3 * seconds / len(truth):.2f}",
            ]
        )
    return table(header, rows)


# --- skeletons ----------------------------------------------------------------------------------------------

ON_BOTH_SIDES = {
    "upperleg": ("Thigh.Upper", "Thigh.Front", "Thigh.Rear"),
    "lowerleg": ("Shank.Upper", "Shank.Front", "Shank.Rear"),
    "foot": ("Heel", "Midfoot.Sup", "Midfoot.Lat", "Toe.Tip", "Toe.Lat", "Toe.Med"),
    "upperarm": ("Bicep", "Elbow"),
    "lowerarm": ("Wrist.Med", "Wrist.Lat"),
}
ON_THE_TRUNK = {
    "middle_pelvis": ("R.ASIS", "L.ASIS", "V.Sacral"),
    "middle_thorax": ("R.Acromium", "L.Acromium", "Sternum"),
    "middle_head": ("R.Temple", "L.Temple", "Top.Head"),
}
GAIT2392 = {
    f"{side[0].upper()}.{marker}": f"{side}_{link}"
    for side in ("left", "right")
    for link, markers in ON_BOTH_SIDES.items()
    for marker in markers
} | {marker: link for link, markers in ON_THE_TRUNK.items() for marker in markers}
SPOILT = 20  # frames


def solve_table(options: argparse.Namespace) -> str:
    header = ["file", "frames", "markers", "RMS", "worst marker", "worst frame", "calibration", "a frame"]
    header += ["swaps found", "as others", "ghosts found", "as others", "reported as it is"]
    return table(header, [solve_row(file, options) for file in options.files])


def solve_row(file: str, options: argparse.Namespace) -> list[str]:
    progress(file)
    markers = limbik.load_markers(file)
    body, marker_set = skeleton(options)
    solve_markers(replace(markers, positions=markers.positions[:3]), body, marker_set=marker_set)  # warm
    began = process_time()
    solved = solve_markers(markers, body, marker_set=marker_set)
    whole = process_time() - began
    times = []
    for _ in range(3):
        began = process_time()
        solve_markers(markers, body, marker_set=marker_set, calibration=solved.calibration)
        times.append(process_time() - began)
    for ghost in solved.ghosts:
        progress(str(ghost))
    return [
        Path(file).name,
        str(len(markers)),
        str(len(solved.markers.names)),
        f"{solved.rms_mm:.1f} mm",
        f"{np.nanmax(list(solved.marker_rms_mm.values())):.1f} mm",
        f"{solved.frame_rms_mm.max():.1f} mm",
        f"{whole - min(times):.1f} s",
        f"{1e3 * min(times) / len(markers):.2f} ms",
        *planted(solved, body, marker_set, options),
    ]


def skeleton(options: argparse.Namespace) -> tuple[limbik.Model | limbik.Motion, dict[str, str]]:
    """Who moves, and the link of each marker."""
    if not options.skeleton:
        return limbik.load("human"), GAIT2392
    size = float(options.unit) if options.unit[0].isdigit() else options.unit
    body = limbik.load_motion(options.skeleton, unit=size)
    found = limbik.humanoid(body).frames
    links = {"middle_pelvis": found["hips"], "middle_head": found["head"]}
    links["middle_thorax"] = found.get("chest", found["spine"])
    for link, role in zip(
        ON_BOTH_SIDES, ("UpperLeg", "LowerLeg", "Foot", "UpperArm", "LowerArm"), strict=True
    ):
        links |= {f"{side}_{link}": found[side + role] for side in ("left", "right")}
    return body, {marker: links[link] for marker, link in GAIT2392.items()}


def planted(
    solved: limbik.motion.SolvedMarkers,
    body: limbik.Model | limbik.Motion,
    marker_set: dict[str, str],
    options: argparse.Namespace,
) -> list[str]:
    """How often planted swaps and ghosts are found, frame for frame."""
    clip, rng = solved.markers, np.random.default_rng(options.seed)
    usual = np.flatnonzero(np.isfinite(clip.positions[..., 0]).all(axis=0))

    def again(places: np.ndarray) -> limbik.motion.SolvedMarkers:
        spoilt = replace(clip, positions=places)
        return solve_markers(spoilt, body, marker_set=marker_set, calibration=solved.calibration)

    found = {"swap": 0, "other swap": 0, "ghost": 0, "other ghost": 0}
    for _ in range(options.planted):
        first = int(rng.integers(len(clip) - SPOILT))
        span = slice(first, first + SPOILT)
        while True:
            pair = rng.choice(usual, 2, replace=False)
            if norm(clip.positions[span, pair[0]] - clip.positions[span, pair[1]]).min() > options.apart:
                break
        places = clip.positions.copy()
        places[span, pair] = places[span, pair[::-1]]
        answer = again(places)
        names, frames = {clip.names[k] for k in pair}, (first, first + SPOILT - 1)
        is_right = [
            ({each.first_marker, each.second_marker}, (each.first, each.last)) == (names, frames)
            for each in answer.swaps
        ]
        found["swap"] += any(is_right)
        found["other swap"] += len(is_right) - sum(is_right) + len(answer.ghosts)
        places = clip.positions.copy()
        way = rng.standard_normal(3)
        places[span, pair[0]] += rng.uniform(0.1, 0.4) * way / norm(way)
        answer = again(places)
        is_right = [
            (each.marker, (each.first, each.last)) == (clip.names[pair[0]], frames) for each in answer.ghosts
        ]
        found["ghost"] += any(is_right)
        found["other ghost"] += len(is_right) - sum(is_right) + len(answer.swaps)
    of = f" of {options.planted}"
    return [
        f"{found['swap']}{of}",
        str(found["other swap"]),
        f"{found['ghost']}{of}",
        str(found["other ghost"]),
        str(len(solved.swaps) + len(solved.ghosts)),
    ]


if __name__ == "__main__":
    main()
