"""Compiles MJCF with MuJoCo, stripped to what moves, weighs or collides, or, for drawing, to the geoms to be
seen.
"""

from __future__ import annotations

import contextlib
import functools
import math
import os
import re
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from limbik.errors import FormatError, MissingExtra
from limbik.formats.confined_files import enclosed, give_files
from limbik.formats.mjcf_checks import check_files, file_included_at, included_elements, is_xml_file
from limbik.formats.mjcf_collisions import Collider, colliders_in, has_file, path_of, set_mesh_aside
from limbik.formats.source import Source
from limbik.locks import fork_safe

NO_MASS = 1e-14  # [kg] what MuJoCo is told to take for bodies without mass, which it would refuse
LAST_SHOWN = 2  # group of geoms
UNPAINTED = (0.5, 0.5, 0.5, 1.0)  # rgba of a geom that says nothing
_ROOT = re.compile(r"(?>[\s\ufeff]+|<\?.*?\?>|<!--.*?-->|<![A-Z][^>]*>)*+<([^\s/>]+)", re.DOTALL)
_LINE = re.compile(r"\bline(?: number)?[ =](\d+)", re.IGNORECASE)
_ELEMENT = re.compile(r"^Element '([^']+)'", re.MULTILINE)
_ATTRIBUTE = re.compile(r"attribute:? '([^']+)'")
_NAME = re.compile(r"^Element name '([^']+)'", re.MULTILINE)
_NAN = re.compile(r"=\s*[\"'](?:[^\"'<>]*\s)?[-+]?nan[\s\"']", re.IGNORECASE)
_LOCK = fork_safe(threading.Lock())  # MuJoCo has one handler of warnings for all
_USER_NUMBERS = ("body", "jnt", "geom", "site", "cam", "tendon", "actuator", "sensor")
# What an MJCF may ask MuJoCo to set aside for a simulation, and what it then takes by itself.
_SET_ASIDE = {"nkey": 0, "nuserdata": 0, "memory": -1, "njmax": -1, "nconmax": -1, "nstack": -1}
_FAILURES = (ValueError, RuntimeError, MemoryError)  # of MuJoCo
_TOO_DEEP = "XML parse error 18:"
_SYNTAX = re.compile(r"^Error=XML_ERROR_(\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Compiled:
    """A compiled model and what was lost on the way."""

    model: Any  # mujoco.MjModel
    spec: Any  # mujoco.MjSpec, which it was compiled of
    name: str
    has_masses: bool
    colliders: list[Collider]
    notes: list[str] = field(default_factory=list)


def compiled(source: Source, *, with_keyframes: bool = False) -> Compiled:
    """The model in a source. Raises FormatError where it is not MJCF or MuJoCo refuses it.

    Masses may come from meshes. Where their files are missing, the whole model has no masses: a part of them
    would give a wrong center of mass.
    """
    _refuse_other_formats(source)
    failure: Exception | None = None
    for files_of in _UNREAD:
        spec = _parsed(source, with_keyframes)
        name = _stem(source) if spec.modelname in ("", "MuJoCo Model") else spec.modelname
        notes = _limits_of_tendons(spec)
        colliders = colliders_in(spec)
        weighing = _keep_geoms_that_weigh_or_collide(spec, source, colliders)
        unread = {id(geom): geom for geom in files_of(spec, source)}
        if failure is not None and not unread:
            continue
        lost = [geom for key, geom in unread.items() if key in weighing]
        if lost:
            reason = f"come from files that cannot be read ({_first_line(failure)}); the model has no masses"
            notes.append(f"masses of {_few(_bodies_of(lost))} {reason}")
        for collider in colliders:
            if id(collider.geom) in unread and set_mesh_aside(collider, spec, source):
                del unread[id(collider.geom)]
        if left_out := [each.geom for each in colliders if id(each.geom) in unread]:
            reason = f"are left out of collisions: their meshes cannot be read ({_first_line(failure)})"
            notes.append(f"geoms of {_few(_bodies_of(left_out))} {reason}")
        colliders = [each for each in colliders if id(each.geom) not in unread]
        for geom in unread.values():
            spec.delete(geom)
        try:
            return Compiled(_compile(spec, source), spec, name, not lost, colliders, notes)
        except _FAILURES as error:
            failure = error
    raise _format_error(source, failure) from None


def _bodies_of(geoms: Iterable[Any]) -> list[str]:
    """The names of the bodies that geoms are on, each once."""
    return list(dict.fromkeys(geom.parent.name or "a body" for geom in geoms))


def _refuse_other_formats(source: Source) -> None:
    root = _ROOT.match(source.text)
    if root is None:
        raise FormatError(source.name, "is not XML: MJCF begins with <mujoco>")
    line = source.text.count("\n", 0, root.start(1)) + 1
    if root[1] == "mujocoinclude":
        problem = "is a part of MJCF that other files include, not a model; read one of those"
        raise FormatError(source.name, problem, line=line, element="<mujocoinclude>")
    if root[1] != "mujoco":
        raise FormatError(source.name, f"needs <mujoco> as its root, found <{root[1]}>", line=line)


def _parsed(source: Source, with_keyframes: bool) -> Any:
    try:
        import mujoco
    except ImportError:
        raise MissingExtra("robots", "reading MJCF") from None
    if source.files is None:
        check_files(source)
    else:
        source = enclosed(source)
    try:
        with _heard() as said:
            if source.files is None and is_xml_file(source.path):
                spec = mujoco.MjSpec.from_file(str(source.path))
            else:
                spec = mujoco.MjSpec.from_string(source.text)
    except _FAILURES as error:
        raise _format_error(source, error) from None
    if any("NaN" in warning for warning in said):
        lines = {source.text.count("\n", 0, match.start()) + 1 for match in _NAN.finditer(source.text)}
        line = lines.pop() if len(lines) == 1 else None
        raise FormatError(source.name, "needs numbers, found nan", line=line)
    if source.path is not None:
        spec.modelfiledir = str(source.path.parent)
    for key in [] if with_keyframes else list(spec.keys):
        spec.delete(key)
    return spec


@contextlib.contextmanager
def _heard() -> Iterator[list[str]]:
    """MuJoCo's warnings, which it would print and write to a file in the folder of the user."""
    import mujoco

    said: list[str] = []
    with _LOCK:
        before = mujoco.get_mju_user_warning()
        mujoco.set_mju_user_warning(said.append)
        try:
            yield said
        finally:
            mujoco.set_mju_user_warning(before)


def compiled_with_shapes(source: Source) -> tuple[Any, list[str]]:
    """MjModel of a source with the geoms that are to be seen, and notes on what cannot be.

    Raises as `compiled` does.
    """
    _refuse_other_formats(source)
    failure: Exception | None = None
    for files_of in _UNREAD:
        spec = _parsed(source, with_keyframes=False)
        _keep_geoms_to_see(spec)
        unread = files_of(spec, source)
        if failure is not None and not unread:
            continue
        for geom in unread:
            spec.delete(geom)
        try:
            made = _compile(spec, source)
            return made, [f"meshes cannot be read: {_first_line(failure)}"] if unread else []
        except _FAILURES as error:
            failure = error
    raise _format_error(source, failure) from None


def _keep_geoms_to_see(spec: Any) -> None:
    """Of groups that MuJoCo shows by itself; on a body that has shapes for the eye only, just these."""
    import mujoco

    endless = (mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_HFIELD)
    for body in spec.bodies:
        shown = [geom for geom in body.geoms if geom.group <= LAST_SHOWN and geom.type not in endless]
        for_eyes = [geom for geom in shown if geom.contype == geom.conaffinity == 0]
        remaining = {id(geom) for geom in for_eyes or shown}
        for geom in list(body.geoms):
            if id(geom) not in remaining:
                spec.delete(geom)
    for geom in spec.geoms:
        material = spec.material(geom.material) if geom.material else None
        if material is not None and (geom.rgba == UNPAINTED).all():
            geom.rgba = material.rgba
        geom.contype = geom.conaffinity = 0
    for mesh in spec.meshes:
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL  # of any surface, closed or not


def _keep_geoms_that_weigh_or_collide(spec: Any, source: Source, colliders: list[Collider]) -> dict[int, Any]:
    """Those that weigh, by id. Deletes the others, except those that collide and those that a tendon of an
    equality goes round. Meshes that do not weigh are set aside.
    """
    weighing: dict[int, Any] = {}
    colliding = {id(collider.geom): collider for collider in colliders}
    needed = _geoms_of_coupling_tendons(spec)
    for body in list(spec.bodies):
        mode = int(body.compiler.inertiafromgeom)  # 0 never, 1 always, 2 where the body has no inertial
        has_mass_of_geoms = body.id != 0 and (mode == 1 or (mode == 2 and not body.explicitinertial))
        low, high = body.compiler.inertiagrouprange
        for geom in list(body.geoms):
            mass = geom.density if math.isnan(geom.mass) else geom.mass
            weighs = has_mass_of_geoms and mass != 0.0 and low <= geom.group <= high
            weighing |= {id(geom): geom} if weighs else {}
            geom.contype = geom.conaffinity = 0  # MuJoCo makes no convex hull then
            if weighs or geom.name in needed:
                continue
            if id(geom) not in colliding:
                spec.delete(geom)
            else:
                set_mesh_aside(colliding[id(geom)], spec, source)
    return weighing


def _limits_of_tendons(spec: Any) -> list[str]:
    """A note on limits of tendons, which no model has."""
    import mujoco

    of = mujoco.mjtLimited
    limited = {of.mjLIMITED_TRUE, of.mjLIMITED_AUTO} if spec.compiler.autolimits else {of.mjLIMITED_TRUE}
    names = [
        tendon.name or "a tendon without a name"
        for tendon in spec.tendons
        if tendon.limited in limited and tendon.range[0] < tendon.range[1]
    ]
    return [f"limits of tendons are not in the model: {_few(names)}"] if names else []


def _geoms_of_coupling_tendons(spec: Any) -> set[str]:
    """Names of geoms that they go round. All other tendons are deleted."""
    coupling = {name for equality in spec.equalities for name in (equality.name1, equality.name2)}
    for tendon in [tendon for tendon in spec.tendons if tendon.name not in coupling]:
        spec.delete(tendon)
    targets = (wrap.target for tendon in spec.tendons for wrap in tendon.path)
    return {target.name for target in targets if target is not None}


def _from_files(spec: Any, source: Source, *, is_missing: bool = False) -> list[Any]:
    """The geoms whose meshes and height fields are files, or only those that are missing."""

    def names(parts: Iterable[Any]) -> set[str]:
        return {
            part.name for part in parts if part.file and not (is_missing and has_file(part, spec, source))
        }

    meshes, fields = names(spec.meshes), names(spec.hfields)
    return [geom for geom in spec.geoms if geom.meshname in meshes or geom.hfieldname in fields]


# Of which geoms no files are read: where MuJoCo cannot compile a model, the next one is tried.
_UNREAD: tuple[Callable[[Any, Source], list[Any]], ...] = (
    lambda spec, source: [],
    functools.partial(_from_files, is_missing=True),
    _from_files,
)


def _compile(spec: Any, source: Source) -> Any:
    """MjModel of a spec, without all that neither moves nor weighs."""
    for part in ("sensors", "actuators", "pairs", "tuples", "skins", "numerics"):
        for element in list(getattr(spec, part)):
            spec.delete(element)
    for element in [*spec.geoms, *spec.sites, *spec.tendons]:
        element.material = ""
    meshes, fields = {geom.meshname for geom in spec.geoms}, {geom.hfieldname for geom in spec.geoms}
    unused = [mesh for mesh in spec.meshes if mesh.name not in meshes]
    unused += [field for field in spec.hfields if field.name not in fields]
    for element in [*unused, *spec.materials, *spec.textures]:
        spec.delete(element)
    for joint in spec.joints:
        joint.armature = 1.0  # whatever the masses are, the joints have inertia
    spec.compiler.boundmass = max(spec.compiler.boundmass, NO_MASS)
    spec.compiler.boundinertia = max(spec.compiler.boundinertia, NO_MASS)
    spec.compiler.fusestatic = False  # bodies keep their names
    spec.compiler.discardvisual = False  # which would take geoms that do not collide in MuJoCo's sense
    for name in _USER_NUMBERS:
        setattr(spec, f"nuser_{name}", -1)
    for name, size in _SET_ASIDE.items():
        setattr(spec, name, size)
    if source.files is None:
        _refuse_what_is_no_file(spec, source)
    else:
        give_files(spec, source)
    with warnings.catch_warnings(), _heard():
        warnings.simplefilter("ignore")  # of MuJoCo, about dynamics
        return spec.compile()


def _refuse_what_is_no_file(spec: Any, source: Source) -> None:
    """Raise FormatError for a pipe or device, which MuJoCo would wait for."""
    for part in [part for part in [*spec.meshes, *spec.hfields] if part.file]:
        path = path_of(part, spec, source)
        if os.path.exists(path) and not path.is_file():
            raise FormatError(source.name, f"its file {part.file!r} is no file, but a folder, pipe or device")


def _stem(source: Source) -> str:
    return source.path.stem if source.path else "mjcf"


def _few(names: list[str]) -> str:
    return ", ".join(repr(name) for name in names[:3]) + (f" and {len(names) - 3} more" if names[3:] else "")


def _first_line(error: Exception | None) -> str:
    return str(error).partition("\n")[0].removeprefix("Error: ")


def _format_error(source: Source, error: Exception | None) -> FormatError:
    """MuJoCo's message in limbik's form. Line 0 is MuJoCo's for what stands in an included file: it is that
    of the only element that it can be.
    """
    message = str(error)
    lines = [int(line) for line in _LINE.findall(message)]
    line, file = lines[-1] if lines else 0, source.name
    element, name, syntax = (pattern.search(message) for pattern in (_ELEMENT, _NAME, _SYNTAX))
    if syntax:
        problem = f"is not well-formed XML: {syntax[1].replace('_', ' ').lower()}"
        if "Include error" in message and (included := file_included_at(source, line)):
            return FormatError(included, problem, line=lines[0])
    elif _TOO_DEEP in message:
        problem = "elements stand too deep inside each other; MuJoCo reads about 500"
    elif isinstance(error, MemoryError):
        problem = "MuJoCo: there is not enough memory for it"
    else:
        problem = "MuJoCo: " + re.sub(r"^(XML )?Error: (Error: )?", "", message.partition("\n")[0])
        if lines and line == 0:
            attribute = _ATTRIBUTE.search(message)
            suspects = [
                each
                for each in included_elements(source)
                if (not element or each.tag == element[1])
                and (not attribute or attribute[1] in each.attributes)
                and (not name or each.attributes.get("name") == name[1])
            ]
            files = {each.source for each in suspects}
            file = files.pop() if len(files) == 1 else file
            line = suspects[0].line if len(suspects) == 1 else 0
            problem += ", in an included file" if file == source.name else ""
    return FormatError(
        file,
        problem,
        line=line or None,
        element=f"<{element[1]}>" if element else repr(name[1]) if name else None,
    )
