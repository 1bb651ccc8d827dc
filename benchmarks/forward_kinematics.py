"""Every robot's file in the installed data packages, loaded by limbik and held against Pinocchio or MuJoCo.

    python benchmarks/forward_kinematics.py                       print everything, a few minutes
    python benchmarks/forward_kinematics.py --write               and store the tables in docs/robots.md
    python benchmarks/forward_kinematics.py --only robosuite --verbose

For each file: the poses of all frames at random configurations within the limits, their Jacobians, and the
center of mass with its Jacobian, against Pinocchio (URDF, and xacro after processing) or MuJoCo (MJCF), which
read the file themselves. Files that are no model are named with the reason. The exit status is 1 if a
difference is over the tolerance, or if limbik refuses a file that its oracle reads.
"""

# ruff: noqa: E402  (the number of threads is read when NumPy is imported)

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # small matrices: threads only cost time

import argparse
import contextlib
import datetime
import importlib.metadata
import platform
import re
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "src"))  # for a checkout that is not installed

import numpy as np

import limbik
import report
from kinematics_oracles import Mujoco, Oracle, Pinocchio, Refused
from limbik.errors import FormatError, FormatWarning, LimbikError
from limbik.formats import load, xacro
from limbik.model import Model
from machine import processor, progress

SCRIPT = "benchmarks/forward_kinematics.py"
DOCUMENT = HERE.parent / "docs" / "robots.md"
PACKAGES = ("example-robot-data", "robosuite", "gymnasium-robotics", "mjlab", "rtb-data")
TOLERANCE = 1e-9  # [m and rad, and per rate]
ENDINGS = (".urdf", ".xacro", ".xml", ".mjcf")
ROOTS = ("robot", "mujoco", "mujocoinclude")
ROOT = re.compile(r"(?>[\s\ufeff]+|<\?.*?\?>|<!--.*?-->|<![A-Z][^>]*>)*+<([^\s/>]+)", re.DOTALL)


@dataclass
class Row:
    """One file."""

    package: str
    name: str  # path in the package
    format: str
    model: Model | None = None
    milliseconds: float = 0.0  # of loading
    compared: int = 0  # number of frames
    of_pose: float = 0.0  # largest differences [m or 1]
    of_jacobian: float = 0.0
    of_center: float | None = None  # None: nothing to compare
    problem: str = ""  # why it was not loaded, or not compared
    is_fault: bool = False  # of limbik
    remarks: list[str] = field(default_factory=list)

    @property
    def largest(self) -> float:
        return max(self.of_pose, self.of_jacobian, self.of_center or 0.0)


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="files whose package and path contain this text")
    parser.add_argument("--samples", type=int, default=20, help="configurations per robot (default 20)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true", help="print each file's remarks as it is read")
    parser.add_argument("--write", action="store_true", help=f"store the tables in {DOCUMENT.name}")
    options = parser.parse_args(argv)
    if options.write and options.only:
        parser.error("--write needs the whole run: leave out --only")
    return options


# --- files --------------------------------------------------------------------------------------------------


def files(package: str) -> Iterator[tuple[str, Path, str]]:
    """(path in the package, path, name of the root element) of descriptions of robots and parts of them."""
    for entry in sorted(importlib.metadata.distribution(package).files or [], key=str):
        if not str(entry).endswith(ENDINGS):
            continue
        path = Path(str(entry.locate())).resolve()
        root = ROOT.match(path.read_text(encoding="utf-8", errors="replace"))
        if root and root[1] in ROOTS:
            yield short(str(entry)), path, root[1]


def short(path: str) -> str:
    """Without folders that all files of a package share."""
    return re.sub(r"^(\.\./)*(.*share/example-robot-data/robots/|[^/]+/)", "", path)


def format_of(path: Path, root: str) -> str:
    if root != "robot":
        return "MJCF"
    return "xacro" if path.suffix == ".xacro" else "URDF"


@contextlib.contextmanager
def ros_packages() -> Iterator[None]:
    """Folders of rtb-data under the names of ROS packages by which its xacro files ask for them."""
    with tempfile.TemporaryDirectory() as folder:
        for name, found in folders_of_rtb_data():
            (Path(folder) / name).symlink_to(found)
        os.environ["ROS_PACKAGE_PATH"] = folder
        yield


def folders_of_rtb_data() -> Iterator[tuple[str, Path]]:
    """(name of the ROS package, folder)."""
    try:
        place = importlib.metadata.distribution("rtb-data").locate_file("rtbdata/xacro")
    except importlib.metadata.PackageNotFoundError:
        return
    root = Path(str(place)).resolve()
    yield "abb_irb140", root / "abb_irb140_description"
    for found in (root / "kuka_description").iterdir():
        yield "kuka_resources" if found.name == "kuka_resources" else f"{found.name}_support", found


# --- one file -----------------------------------------------------------------------------------------------


def checked(row: Row, path: Path, options: argparse.Namespace) -> Row:
    """The row, filled."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", FormatWarning)
            row.model = load(path)
    except FormatError as error:
        row.problem = reason(error)
        row.is_fault = is_read_by_oracle(row, path)
        return row
    except LimbikError as error:
        row.problem, row.is_fault = str(error), True
        return row
    row.remarks = [str(found.message) for found in caught if issubclass(found.category, FormatWarning)]
    row.milliseconds = loading_time(path)
    try:
        oracle = oracle_of(row, path)
    except Refused as refusal:
        row.problem = f"loaded, but not compared: {refusal}"
        return row
    compare(row, oracle, options)
    return row


def reason(error: FormatError) -> str:
    """In a few words, the same for all files that are parts of others."""
    if "mujocoinclude" in f"{error.element} {error.problem}" or "has no <link> once" in error.problem:
        return "a part that other files include"
    problem = re.sub(r"/\S*/", "", error.problem)  # without folders
    problem = re.sub(r"; (did you mean|known:|let ROS_PACKAGE_PATH).*", "", problem)
    return f"{error.element}: {problem}" if error.element else problem


def loading_time(path: Path) -> float:
    """[ms] of loading the file once more, when the libraries are imported."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        load(path)
        return 1e3 * (time.perf_counter() - start)


def is_read_by_oracle(row: Row, path: Path) -> bool:
    """Whether the file is a model for the other program: then limbik should read it too."""
    try:
        oracle_of(row, path)
    except (Refused, FormatError):
        return False
    except AttributeError:  # there is no limbik model of it
        return True
    return True


def oracle_of(row: Row, path: Path) -> Oracle:
    if row.format == "MJCF":
        return Mujoco(row.model, path)
    text = xacro.process(path).text if row.format == "xacro" else path.read_text(encoding="utf-8")
    return Pinocchio(row.model, text)


def compare(row: Row, oracle: Oracle, options: argparse.Namespace) -> None:
    """The poses and the center of mass at all configurations, Jacobians at three of them."""
    model = row.model
    frames = oracle.frames()
    row.compared = len(frames)
    jacobians = 3 if model.nv else 0  # configurations; Pinocchio crashes where nothing moves
    places = [model.frame_names.index(name) for name in frames]
    for k, q in enumerate(configurations(model, options)):
        oracle.move(q)
        expected = np.array([oracle.pose(name) for name in frames])
        row.of_pose = max(row.of_pose, difference(model.forward(q)[places], expected))
        if k < jacobians:
            for name in frames:
                found = difference(model.jacobian(q, name), oracle.jacobian(name))
                row.of_jacobian = max(row.of_jacobian, found)
        center = oracle.center_of_mass()
        if center is not None and model.masses:
            found = difference(model.center_of_mass(q), center)
            if k < jacobians:
                jacobian = oracle.center_of_mass_jacobian()
                found = max(found, difference(model.center_of_mass_jacobian(q), jacobian))
            row.of_center = max(row.of_center or 0.0, found)


def configurations(model: Model, options: argparse.Namespace) -> np.ndarray:
    """Random ones within the limits [samples, nq]; joints whose limits are one value move by up to 1."""
    q = model.random(options.seed, options.samples)
    room = np.where(model.lower == model.upper, 1.0, 0.0)
    return q + room * np.random.default_rng(options.seed).uniform(-1.0, 1.0, q.shape)


def difference(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.abs(found - expected).max(initial=0.0))


# --- tables -------------------------------------------------------------------------------------------------


def package_table(rows: Sequence[Row]) -> str:
    header = ["file", "format", "joints", "nq", "frames", "poses", "Jacobians", "center of mass", "load ms"]
    lines = [
        [
            f"`{row.name}`",
            row.format,
            str(len(row.model.joints)),
            str(row.model.nq),
            str(row.compared),
            size(row.of_pose),
            size(row.of_jacobian),
            "-" if row.of_center is None else size(row.of_center),
            f"{row.milliseconds:.1f}",
        ]
        for row in rows
        if row.model and row.compared and row.model.nq
    ]
    return report.table(header, lines) if lines else "Not installed."


def size(difference: float) -> str:
    return f"{difference:.0e}" if difference else "0"


def summary_table(rows: Sequence[Row], installed: dict[str, str]) -> str:
    header = ["package", "version", "files", "compared", "of them without joints that move", "frames"]
    lines = []
    for package in PACKAGES:
        own = [row for row in rows if row.package == package]
        compared = [row for row in own if row.compared]
        lines.append(
            [
                package,
                installed.get(package, "not installed"),
                str(len(own)),
                str(len(compared)),
                str(sum(not row.model.nq for row in compared if row.model)),
                str(sum(row.compared for row in compared)),
                size(max((row.largest for row in compared), default=0.0)),
                str(len([row for row in own if row.problem])),
            ]
        )
    return report.table([*header, "largest difference", "not compared"], lines)


def problem_list(rows: Sequence[Row]) -> str:
    """The files that were not compared, by reason."""
    by_reason: dict[str, list[str]] = {}
    for row in rows:
        if row.problem:
            by_reason.setdefault(row.problem, []).append(f"{row.package} `{row.name}`")
    lines = [f"- {why}: {', '.join(names)}" for why, names in by_reason.items()]
    return "\n".join(lines) or "None."


def remark_list(rows: Sequence[Row]) -> str:
    lines = [
        f"- {row.package} `{row.name}`: {remark.split(': ', 1)[-1]}" for row in rows for remark in row.remarks
    ]
    return "\n".join(lines) or "None."


def facts(rows: Sequence[Row], options: argparse.Namespace) -> str:
    versions = [f"{name} {importlib.metadata.version(name)}" for name in ("numpy", "pin", "mujoco", "xacro")]
    robots = [row for row in rows if row.compared]
    pairs = {
        "date": str(datetime.date.today()),
        "machine": f"{processor()}, {os.cpu_count()} cores, {platform.system()}",
        "Python": f"{platform.python_version()}, limbik {limbik.__version__}, {', '.join(versions)}",
        "files compared": str(len(robots)),
        "configurations": f"{options.samples} random ones for each file, seed {options.seed}",
        "largest difference": f"{max((row.largest for row in robots), default=0.0):.1e}",
    }
    return "\n".join(f"- {key}: {value}" for key, value in pairs.items())


def measured(options: argparse.Namespace) -> tuple[list[Row], dict[str, str]]:
    """A row for each file, and the versions of the packages that are installed."""
    rows: list[Row] = []
    installed: dict[str, str] = {}
    for package in PACKAGES:
        try:
            installed[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            progress(f"{package} is not installed: pip install --no-deps {package}")
            continue
        for name, path, root in files(package):
            if options.only not in f"{package} {name}":
                continue
            row = checked(Row(package, name, format_of(path, root)), path, options)
            rows.append(row)
            progress(f"{package} {name}: {size(row.largest) if row.compared else ''} {row.problem}")
            for remark in row.remarks if options.verbose else []:
                progress(f"    {remark}")
    return rows, installed


def main(argv: Sequence[str] | None = None) -> int:
    options = arguments(argv)
    with ros_packages():
        rows, installed = measured(options)
    tables = {
        "facts": facts(rows, options),
        "summary": summary_table(rows, installed),
        "not-compared": problem_list(rows),
        "remarks": remark_list(rows),
        **{package: package_table([row for row in rows if row.package == package]) for package in PACKAGES},
    }
    for name, text in tables.items():
        print(f"\n## {name}\n\n{text}")
    bad = [row for row in rows if row.is_fault or row.largest > TOLERANCE]
    for row in bad:
        print(f"NOT RIGHT: {row.package} {row.name}: {row.largest:.1e} {row.problem}", file=sys.stderr)
    if options.write:
        report.write(DOCUMENT, SCRIPT, tables)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
