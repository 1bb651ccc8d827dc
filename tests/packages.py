"""Packages with descriptions of robots, as if installed; those that are really installed are hidden."""

import importlib.metadata
from pathlib import Path

import pytest

PENDULUM = """
<robot name="pendulum">
  <link name="base"/> <link name="arm"/> <link name="tip"/>
  <joint name="swing" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
  <joint name="end" type="fixed"><parent link="arm"/><child link="tip"/><origin xyz="0 0 -1"/></joint>
</robot>
"""
GROUPS = """
<robot name="pendulum">
  <group name="all"><chain base_link="base" tip_link="tip"/></group>
</robot>
"""


class Packages:
    """An environment that holds only the packages that are added."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.site = folder / "site-packages"
        self.site.mkdir()
        real = importlib.metadata.distribution

        def distribution(name: str) -> importlib.metadata.Distribution:
            if not self._information(name).exists():
                raise importlib.metadata.PackageNotFoundError(name)
            return real(name)

        monkeypatch.syspath_prepend(self.site)
        monkeypatch.setattr(importlib.metadata, "distribution", distribution)

    def add(self, package: str, *files: str) -> Path:
        """Install a package; its files hold a pendulum, or its groups. Returns the folder of all packages."""
        information = self._information(package)
        information.mkdir(exist_ok=True)
        (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        for file in files:
            path = self.site / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(GROUPS if file.endswith(".srdf") else PENDULUM)
        return self.site

    def _information(self, package: str) -> Path:
        return self.site / f"{package.replace('-', '_')}-1.0.dist-info"
