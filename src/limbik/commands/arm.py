"""`limbik arm`: opens arms with branches and goals in the playground, solves them or saves them; read from
files or from words of the command line.
"""

from __future__ import annotations

import base64
import json
import re
import warnings
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import quote

import typer
import typer.core

from limbik.commands.play import Host, NoBrowser, Port, open_playground
from limbik.errors import FormatError, LimbikError, ModelError, shortened
from limbik.formats.source import check_ending, write_text

if TYPE_CHECKING:
    from limbik import Scene

NO_SOLUTION = 1  # exit status
ENDINGS = (".arm", ".urdf")
_WORDS = "scene words"  # key of what `ArmCommand` leaves for `arm`
_FILE_WORDS = ("-f", "--file")
_SCENE_WORD = re.compile(r"-(?!h$)[^-].*|--(arm|seg|goal|br|endbr|file)", re.IGNORECASE | re.DOTALL)
_SERVING = ("--host", "--port")  # options with a value that `open_playground` puts in by itself
_FOR_ANSWERS = ("seed", "degrees", "as_json")
_FOR_METHODS = ("solver", "branches")  # the page takes them too
_FOR_SERVING = ("host", "port", "no_browser")

READ_AS = {
    "range": "theta and phi are half-ranges of motion; --angles initial takes them as first directions.",
    "initial": "theta and phi are the first directions of the segments; --angles range limits the motion.",
}


class ArmCommand(typer.core.TyperCommand):
    """Takes the words of a scene, in their order, out of what is left to the parser of options."""

    allow_extra_args = True  # told in the words of a scene

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse what is no word of a scene."""
        words, positions, others = split(args)
        options = {*ctx.help_option_names, *(option for param in self.params for option in param.opts)}
        for word, position in zip(words, positions, strict=True):
            if f"-{word}" in options:
                raise FormatError(f"argument {position}", f"unknown word {word!r}; did you mean '-{word}'?")
        extra = list(super().parse_args(ctx, others))
        if extra:
            known = "-f FILE, -arm, -seg, -goal, -br and -endbr"
            raise FormatError(
                "the command line", f"{shortened(extra[0])} follows no word that takes it; words are {known}"
            )
        ctx.meta[_WORDS] = words, positions, list(args)
        return extra


def split(arguments: Sequence[str]) -> tuple[list[str], list[int], list[str]]:
    """The words of a scene with their values, their positions counted from 1, and all other arguments.

    A value is what does not begin with a dash and a letter, so that -0.5 is one. All that begins with one
    dash and a letter is taken for a word of a scene, and those who read these say when it is unknown.
    """
    from limbik.formats.arm.words import is_word

    words: list[str] = []
    positions: list[int] = []
    others: list[str] = []
    max_values = 0  # values that the word before may take
    for position, argument in enumerate(arguments, start=1):
        name, is_joined, value = argument.partition("=")
        if is_joined and name in _FILE_WORDS:
            words += [name, value]
            positions += [position, position]
            max_values = 0
        elif is_word(argument) and _SCENE_WORD.fullmatch(argument):
            words.append(argument)
            positions.append(position)
            max_values = 1 if argument in _FILE_WORDS else len(arguments)
        elif max_values and argument != "--" and not is_word(argument):
            words.append(argument)
            positions.append(position)
            max_values -= 1
        else:
            others.append(argument)
            max_values = 0
    return words, positions, others


def arm(
    ctx: typer.Context,
    angles: Annotated[
        Literal["range", "initial"] | None,
        typer.Option(
            help="What theta and phi are: half-ranges of motion, or the first directions of the segments. "
            "Default: what a comment `# angles: ...` in the file says, else range."
        ),
    ] = None,
    lenient: Annotated[
        bool,
        typer.Option(
            "--lenient", help="Warn of a wrong number of segments, goals or -endbr instead of refusing."
        ),
    ] = False,
    branches: Annotated[
        Literal["independent", "coupled"],
        typer.Option(help="Solve each branch for its own goal, its parents first; or all goals at once."),
    ] = "independent",
    solve: Annotated[bool, typer.Option("--solve", help="Solve and print instead of opening it.")] = False,
    solver: Annotated[str, typer.Option(help="The method; see the README for names.")] = "auto",
    seed: Annotated[
        int, typer.Option(min=0, help="Of the random choices: the same one, the same answer.")
    ] = 0,
    degrees: Annotated[
        bool, typer.Option("--degrees", help="Print angles in degrees. (JSON stays in radians.)")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print data instead of text.")] = False,
    save: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Write the scene to a file, .arm or .urdf, instead of opening it."),
    ] = None,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    no_browser: NoBrowser = False,
) -> None:
    """Open a scene of arms in the playground, or solve it.

    -f FILE reads one in the classic arm format. The words of the format can
    stand on the command line too, in their order and as often as is needed:

    \b
    -f FILE                      the arms of a file
    -arm NS BX BY BZ             a new arm with NS segments at a base
    -seg [INDEX] LENGTH TH PHI   the next segment, or that of an index
    -goal X Y Z                  where the end of the arm or branch is to go
    -br N NS                     a branch of NS segments from the end of
                                 segment N, counted from 0
    -endbr                       ends the branch

    Exit status of --solve: 0 all goals met, 1 not all, 2 the request has no
    meaning, 3 the output cannot be written.

    For example:

    \b
    limbik arm -arm 2 0 0 0 -seg 1 1.5 1.5 -seg 1 1.5 1.5 -goal -0.5 1 1
    """
    from limbik.scene import load_words
    from limbik.solvers import registry

    words, positions, typed = ctx.meta[_WORDS]
    files = save or []
    for file in files:
        check_ending(str(file), *ENDINGS)
    _check_used(ctx, is_solved=solve, is_saved=bool(files))
    if solver != "auto":
        registry.get(solver)
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        scene = load_words(words, positions, angles=angles, lenient=lenient)
    for note in notes:
        typer.echo(f"limbik: note: {note.message}", err=True)
    if not solve:
        typer.echo(READ_AS[scene.angles])
        if files:
            _save(scene, files, is_solved=False)
        else:
            _check_shown(scene)
            query = query_of(scene, branches, solver)
            open_playground(host, port, no_browser, query=query, command=_again(typed))
        return
    solutions = scene.solve(solver, branches=branches, seed=seed)
    if as_json:
        from limbik.commands.scene_answers import data

        typer.echo(json.dumps(data(scene, solutions, branches), indent=2, allow_nan=False))
    else:
        from limbik.commands.scene_answers import text

        typer.echo("\n".join([READ_AS[scene.angles], *text(scene, solutions, degrees)]))
    _save(scene.moved(solutions), files, is_solved=True)
    if not all(solution.success for solution in solutions if solution is not None):
        raise typer.Exit(NO_SOLUTION)


def query_of(scene: Scene, branches: str, solver: str = "auto") -> str:
    """What follows the playground's address, so that it opens the scene: the text of the scene, deflated."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = packer.compress(scene.to_arm().encode()) + packer.flush()
    text = base64.urlsafe_b64encode(packed).decode().rstrip("=")
    name = quote(f"{scene.name}.arm", safe="")
    method = "" if solver == "auto" else f"&algo={solver}"
    return f"/?view=3d&arm={text}&angles={scene.angles}&branches={branches}{method}&name={name}"


def _again(typed: Sequence[str]) -> list[str]:
    """The command that was typed, without what says where to listen."""
    words = ["limbik", "arm"]
    is_value = False
    for word in typed:
        if not is_value and word != "--no-browser" and word.partition("=")[0] not in _SERVING:
            words.append(word)
        is_value = word in _SERVING
    return words


def _check_used(ctx: typer.Context, *, is_solved: bool, is_saved: bool) -> None:
    """Raise for an option that was passed and would do nothing."""
    unused: tuple[str, ...] = _FOR_ANSWERS
    when = "without --solve"
    if is_solved:
        unused, when = _FOR_SERVING, "with --solve, which opens no playground"
    elif is_saved:
        unused = (*_FOR_ANSWERS, *_FOR_METHODS, *_FOR_SERVING)
        when = "with --save alone, which only converts"
    for param in ctx.command.params:
        source = ctx.get_parameter_source(param.name) if param.name in unused else None
        if source is not None and source.name == "COMMANDLINE":
            raise LimbikError(f"{param.opts[0]} does nothing {when}")


def _check_shown(scene: Scene) -> None:
    """Raise for a scene that the playground would refuse."""
    from limbik.app.open_scene import check_size
    from limbik.app.protocol.space import MAX_ARMS

    check_size([arm.model for arm in scene.arms])
    if len(scene.arms) > MAX_ARMS:
        raise ModelError(f"the playground shows up to {MAX_ARMS} arms, found {len(scene.arms)}")


def _save(scene: Scene, files: Sequence[Path], *, is_solved: bool) -> None:
    for file in files:
        is_arm = file.suffix.lower() == ".arm"
        with warnings.catch_warnings(record=True) as notes:
            warnings.simplefilter("always")
            content = scene.to_arm() if is_arm else scene.to_urdf()
        write_text(file, content)
        said = [str(note.message) for note in notes]
        if is_solved and not is_arm:
            said.append("the configuration is not in it: URDF cannot hold one")
        elif is_solved and scene.angles == "range":
            said.append("the configuration is not in it: where theta and phi are ranges none can be held")
        typer.echo(f"Saved {file}", err=True)
        for sentence in said:
            typer.echo(f"limbik: note: {sentence}", err=True)
