"""What is installed with `pip install limbik`."""

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_wheel_holds_every_file_of_the_package(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("*.whl")
    installed = set(zipfile.ZipFile(wheel).namelist())
    package = ROOT / "src" / "limbik"
    files = {path.relative_to(package.parent).as_posix() for path in package.rglob("*") if path.is_file()}
    compiled = {file for file in files if "/__pycache__/" in file}
    assert not files - compiled - installed
    assert {"limbik/py.typed", "limbik/app/static/index.html", "limbik/model/presets/panda.toml"} <= installed
    assert "limbik/formats/robots.toml" in installed
