"""Set up what a make target needs: .venv, limbik with some extras in it, and system packages for the tests.

    prepare.py [--tests] EXTRA...

What is there already is left alone, so a second run takes a fraction of a second. Nothing waits for an
answer: a step that would need a password is left out, and said. Only the standard library is used.
"""

from __future__ import annotations

import argparse
import ctypes
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from chromium import find_chromium

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "limbik-installed.json"
LOG = VENV / "limbik-install.log"

TEST_LIBRARIES = {  # shared library: (Debian package, what links with it)
    "libatomic.so.1": ("libatomic1", "Playwright"),
    "libgomp.so.1": ("libgomp1", "pinocchio"),
}

# Packages of robots, for their descriptions alone: without what they would need to run, and in a folder of
# their own, since limbik takes the shapes of a robot from a package that is installed.
DESCRIPTIONS_FOLDER = VENV / "descriptions"
DESCRIPTIONS = (
    "airo-models==0.0.12",
    "gymnasium-robotics==1.4.2",
    "mjlab==1.6.0",
    "robosuite==1.5.2",
    "rtb-data==2.0.0",
)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("extras", nargs="+", metavar="EXTRA")
    parser.add_argument("--tests", action="store_true", help="also the system packages that the tests need")
    parser.add_argument("--descriptions", action="store_true", help="also robots of other packages")
    wanted = parser.parse_args()
    make_environment()
    install(set(wanted.extras))
    if wanted.descriptions and not DESCRIPTIONS_FOLDER.exists():
        pip_install("packages of robots", "--no-deps", "--target", str(DESCRIPTIONS_FOLDER), *DESCRIPTIONS)
    keep_bytecode()
    if wanted.tests:
        provide_libraries()
        provide_chromium()


def make_environment() -> None:
    """Make .venv for the Python that runs this, unless there is one that works."""
    if version_of_environment() == sys.version:
        return
    if importlib.util.find_spec("ensurepip") is None:
        provide_ensurepip()
    say(f"Creating .venv with Python {sys.version.split()[0]}")
    shutil.rmtree(VENV, ignore_errors=True)
    made = run([sys.executable, "-m", "venv", str(VENV)])
    if made.returncode != 0:
        fail(f"{sys.executable} could not make a virtual environment:", made.stdout)


def version_of_environment() -> str | None:
    if not PYTHON.exists():
        return None
    answer = run([str(PYTHON), "-c", "import pip, sys; print(sys.version)"])
    return answer.stdout.removesuffix("\n") if answer.returncode == 0 else None


def provide_ensurepip() -> None:
    """Debian and Ubuntu keep this part of Python in a package of its own."""
    package = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
    if sys.base_prefix != "/usr":
        fail(f"{sys.executable} lacks the module `ensurepip`, which makes virtual environments.")
    reason = apt_install(package)
    if reason:
        fail(
            f"{sys.executable} cannot make virtual environments, and {reason}.",
            f"Run: apt-get install {package}",
        )


def install(extras: set[str]) -> None:
    """Install limbik (editable) with `extras`, unless the stamp says that this has been done."""
    state = {"root": str(ROOT), "project": fingerprint()}
    installed = read_stamp()
    if {**installed, "extras": None} == {**state, "extras": None}:
        if extras <= set(installed["extras"]):
            return
        extras |= set(installed["extras"])
    target = f".[{','.join(sorted(extras))}]"
    say(f"Installing limbik{target[1:]} into .venv; this takes a while the first time")
    STAMP.unlink(missing_ok=True)
    began = time.monotonic()
    pip_install("limbik", "-e", target)
    STAMP.write_text(json.dumps({**state, "extras": sorted(extras)}))
    say(f"Installed in {time.monotonic() - began:.0f} s")


def pip_install(what: str, *arguments: str) -> None:
    """Install by uv, in a quarter of pip's time; or by pip, which knows the indexes of its configuration."""
    pip = [str(PYTHON), "-m", "pip", "install", "--no-input", "--disable-pip-version-check"]
    uv = [str(PYTHON), "-m", "uv", "pip", "install", "--compile-bytecode", "--python", str(PYTHON)]
    done = run([*pip, "uv"])
    if done.returncode == 0:
        done = run([*uv, *arguments], log=LOG)
    if done.returncode != 0:
        done = run([*pip, *arguments], log=LOG)
    if done.returncode != 0:
        fail(f"pip could not install {what}. The end of its output:", done.stdout, f"All of it is in {LOG}")


def keep_bytecode() -> None:
    """Compile the package's sources, also where Python is told not to write what it has compiled: tests start
    hundreds of programs that import it.
    """
    run([str(PYTHON), "-m", "compileall", "-q", str(ROOT / "src" / "limbik")])


def fingerprint() -> str:
    """Changes when the dependencies or the version do."""
    parts = [ROOT / "pyproject.toml", ROOT / "src" / "limbik" / "_version.py"]
    return hashlib.sha256(b"".join(part.read_bytes() for part in parts)).hexdigest()


def read_stamp() -> dict[str, Any]:
    try:
        return json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return {}


def provide_libraries() -> None:
    """Shared libraries that wheels link with and do not bring. A desktop has them, a container may not."""
    if not sys.platform.startswith("linux"):
        return
    for library, (package, needed_by) in TEST_LIBRARIES.items():
        try:
            ctypes.CDLL(library)
        except OSError:
            reason = apt_install(package)
            if reason:
                say(f"There is no {library}, and {reason}. Tests that need {needed_by} will fail.")


def provide_chromium() -> None:
    if find_chromium():
        return
    reason = apt_install("chromium-headless-shell") and apt_install("chromium")  # Ubuntu has the second only
    if not find_chromium():
        say(f"There is no Chromium, and {reason or 'the one from apt does not start'}.")
        say("Browser tests will be skipped (in CI they fail). LIMBIK_CHROMIUM=/path/to/chromium names one.")


def apt_install(package: str) -> str | None:
    """Install a Debian package without asking anything. Returns the reason if that was not possible."""
    if not shutil.which("apt-get"):
        return "this system has no apt-get to install it with"
    may = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if may and (not shutil.which("sudo") or run([*may, "true"]).returncode != 0):
        return "apt-get needs root or a sudo that asks no password"
    say(f"Installing {package} through apt")
    settings = ["env", "DEBIAN_FRONTEND=noninteractive", "NEEDRESTART_SUSPEND=1"]
    apt = [*may, *settings, "apt-get", "-y", "-o", "DPkg::Lock::Timeout=120"]
    run([*apt, "update"])  # one broken source is no reason to stop: the install below tells
    done = run([*apt, "install", "--no-install-recommends", package])
    return f"apt-get could not install it:\n{tail(done.stdout, 5)}" if done.returncode != 0 else None


def run(command: list[str], log: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run without a terminal to ask on; stdout holds all of its output."""
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=1200,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        done = subprocess.CompletedProcess(command, 1, stdout=str(error))
    if log:
        log.write_text(done.stdout)
    return done


def tail(text: str, lines: int) -> str:
    return "\n".join(text.rstrip().splitlines()[-lines:])


def say(message: str) -> None:
    print(f"==> {message}", flush=True)


def fail(*messages: str) -> None:
    for message in messages:
        print(tail(message, 30), file=sys.stderr)
    raise SystemExit(1)


if __name__ == "__main__":
    main()
