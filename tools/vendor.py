"""Refresh the libraries that the playground's page carries with it.

    python tools/vendor.py            fetch the pinned versions again
    python tools/vendor.py --check    only compare what is there with the list below

Each package is fetched with `npm pack`, checked against the pinned digest, and the listed files are copied
with the licence. To move to a newer version, change `version` and `integrity` (`npm view NAME@VERSION
version dist.integrity`) and run the script.
"""

import argparse
import base64
import hashlib
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

VENDOR = Path(__file__).resolve().parents[1] / "src/limbik/app/static/vendor"


@dataclass(frozen=True, kw_only=True)
class Package:
    """One npm package: what is copied from it, and where it goes below `vendor/`."""

    name: str
    version: str
    integrity: str  # npm's digest of the archive, "sha512-" and base64
    licence: str  # SPDX
    folder: str
    files: dict[str, str]  # path in the package: name in the folder
    purpose: str


PACKAGES = (
    Package(
        name="uplot",
        version="1.6.32",
        integrity="sha512-KIMVnG68zvu5XXUbC4LQEPnhwOxBuLyW1AHtpm6IKTXImkbLgkMy+jabjLgSLMasNuGGzQm/ep3tOkyTxpiQIw==",
        licence="MIT",
        folder="uplot",
        files={
            "dist/uPlot.esm.js": "uPlot.esm.js",
            "dist/uPlot.min.css": "uPlot.min.css",
            "LICENSE": "LICENSE",
        },
        purpose="the convergence plots",
    ),
    Package(
        name="@fontsource-variable/inter",
        version="5.3.0",
        integrity="sha512-OupL48va4JNofb97w6NYeF9S7W/kHNKM0Er8Dem5nqi4jeOLrVJDoE8tZEpnMJmtkvNbB1EIPPwHcdkF6b1oUA==",
        licence="OFL-1.1",
        folder="inter",
        files={
            "files/inter-latin-wght-normal.woff2": "inter-latin.woff2",
            "files/inter-greek-wght-normal.woff2": "inter-greek.woff2",
            "LICENSE": "LICENSE",
        },
        purpose="the typeface (Latin and Greek)",
    ),
    # The last version whose package has small ("min") builds.
    Package(
        name="three",
        version="0.185.0",
        integrity="sha512-+yRrcRO2iZa8uzvNNl0d7cL4huhgKgBvVJ0njcTe8xFqZ6DMAFZdCKDP91SEAuj25bNAj7k1QQdf+srZywVK6w==",
        licence="MIT",
        folder="three",
        files={
            "build/three.module.min.js": "three.module.min.js",
            "build/three.core.min.js": "three.core.min.js",
            "examples/jsm/loaders/STLLoader.js": "addons/loaders/STLLoader.js",
            "examples/jsm/loaders/OBJLoader.js": "addons/loaders/OBJLoader.js",
            "examples/jsm/loaders/ColladaLoader.js": "addons/loaders/ColladaLoader.js",
            "examples/jsm/loaders/TGALoader.js": "addons/loaders/TGALoader.js",
            "examples/jsm/loaders/collada/ColladaParser.js": "addons/loaders/collada/ColladaParser.js",
            "examples/jsm/loaders/collada/ColladaComposer.js": "addons/loaders/collada/ColladaComposer.js",
            "LICENSE": "LICENSE",
        },
        purpose="the playground in three dimensions, and the meshes of robots",
    ),
)


def fetch(package: Package, folder: Path) -> Path:
    """Download the archive of a package into `folder`, check its digest and return its path."""
    spec = f"{package.name}@{package.version}"
    subprocess.run(["npm", "pack", "--silent", "--pack-destination", str(folder), spec], check=True)
    (archive,) = folder.glob("*.tgz")
    digest = "sha512-" + base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if digest != package.integrity:
        raise SystemExit(f"{spec}: the digest of the archive is {digest}, expected {package.integrity}")
    return archive


def unpack(package: Package, archive: Path) -> None:
    """Copy the listed files of a package into its folder below `vendor/`."""
    target = VENDOR / package.folder
    with tarfile.open(archive) as tar:
        for source, name in package.files.items():
            member = tar.extractfile(f"package/{source}")
            if member is None:
                raise SystemExit(f"{package.name}: no file {source} in the archive")
            path = target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(member.read())


def listing() -> str:
    """The text of `vendor/README.md`."""
    rows = [
        f"| [{p.folder}]({p.folder}/) | {p.name} | {p.version} | {p.licence} | {p.purpose} |"
        for p in PACKAGES
    ]
    head = [
        "# Libraries that the page carries",
        "",
        "Written by `python tools/vendor.py`, which fetches these versions from npm. Do not edit by hand.",
        "",
        "| folder | npm package | version | licence | for |",
        "|---|---|---|---|---|",
    ]
    return "\n".join([*head, *rows]) + "\n"


def check() -> list[str]:
    """What differs between `vendor/` and the list of packages."""
    wanted = {VENDOR / p.folder / name for p in PACKAGES for name in p.files.values()} | {
        VENDOR / "README.md"
    }
    there = {path for path in VENDOR.rglob("*") if path.is_file()}
    faults = [f"missing: {path.relative_to(VENDOR)}" for path in sorted(wanted - there)]
    faults += [f"not listed: {path.relative_to(VENDOR)}" for path in sorted(there - wanted)]
    readme = VENDOR / "README.md"
    if readme.is_file() and readme.read_text(encoding="utf-8") != listing():
        faults.append("README.md does not match the list of packages")
    return faults


def main() -> None:
    """Refresh or check `vendor/`."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="fetch nothing, only compare")
    if not parser.parse_args().check:
        for package in PACKAGES:
            with tempfile.TemporaryDirectory() as folder:
                unpack(package, fetch(package, Path(folder)))
        (VENDOR / "README.md").write_text(listing(), encoding="utf-8")
    faults = check()
    if faults:
        raise SystemExit("\n".join(faults))
    sys.stdout.write(f"vendor/ holds {', '.join(f'{p.name} {p.version}' for p in PACKAGES)}\n")


if __name__ == "__main__":
    main()
