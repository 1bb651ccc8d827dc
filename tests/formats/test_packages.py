"""Files that descriptions name, found by the usual rules."""

from pathlib import Path

import pytest

from limbik.formats.packages import find_package, resolve


@pytest.fixture
def mesh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("AMENT_PREFIX_PATH", raising=False)
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    path = tmp_path / "src" / "arm_description" / "meshes" / "link one.stl"
    path.parent.mkdir(parents=True)
    path.write_text("solid")
    (tmp_path / "src" / "other" / "urdf").mkdir(parents=True)
    return path


@pytest.mark.parametrize("folder", ["src/arm_description/urdf", "src/other/urdf", "src"])
def test_packages_are_looked_for_upward(mesh: Path, tmp_path: Path, folder: str) -> None:
    assert resolve("package://arm_description/meshes/link one.stl", tmp_path / folder) == mesh
    assert resolve("package://arm_description/meshes/link%20one.stl", tmp_path / folder) == mesh


def test_a_package_may_have_another_name_than_its_folder(mesh: Path) -> None:
    package = mesh.parent.parent
    (package / "package.xml").write_text("<package><name> arm </name></package>")
    assert find_package("arm", mesh.parent) == package
    assert find_package("hand", mesh.parent) is None


def test_packages_are_found_by_environment(
    mesh: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find_package("arm_description", None) is None
    for roots in (tmp_path / "src", mesh.parent.parent):
        monkeypatch.setenv("ROS_PACKAGE_PATH", f"/nowhere:{roots}")
        assert find_package("arm_description", None) == mesh.parent.parent
    monkeypatch.delenv("ROS_PACKAGE_PATH")
    share = tmp_path / "install" / "share" / "arm_description"
    share.mkdir(parents=True)
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "install"))
    assert find_package("arm_description", None) == share


def test_an_address_that_is_none_names_no_file(tmp_path: Path) -> None:
    for address in ("package://[x/a.dae", "http://[/a.dae", "file://[a"):
        assert resolve(address, tmp_path) is None


def test_files_and_relative_paths(mesh: Path) -> None:
    assert resolve(mesh.as_uri(), None) == mesh
    assert resolve(str(mesh), None) == mesh
    assert resolve("meshes/link one.stl", mesh.parent.parent) == mesh
    assert resolve("meshes/link one.stl", None) is None


@pytest.mark.parametrize(
    "uri", ["package://../etc/passwd", "package:///x", "package://none/x", "http://a/b", "~nobody here/x", ""]
)
def test_what_is_nowhere_is_none(mesh: Path, uri: str) -> None:
    assert resolve(uri, mesh.parent) is None
