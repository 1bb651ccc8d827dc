"""`limbik motion show` and `picture`: open a motion in the browser, or draw it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated
from urllib.parse import urlencode

import typer

from limbik.commands.motion import AnimationName, File, ModelName, UnitName, UpName, load_file, motion
from limbik.commands.play import Host, NoBrowser, Port, check_robots, open_playground
from limbik.errors import FormatError, ModelError
from limbik.formats.source import check_ending, write_text


@motion.command()
def show(
    file: Annotated[str, typer.Argument(help="A BVH, GLB, glTF or VRM file.")],
    unit: UnitName = None,
    up: UpName = None,
    robot: Annotated[str | None, typer.Option(help="A humanoid's name: it does the same beside it.")] = None,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    no_browser: NoBrowser = False,
) -> None:
    """Open a motion in the browser: play it, drag hands and feet, put it on stairs, measure and save it.

    For example: limbik motion show walk.bvh --robot g1
    """
    from limbik.app.upload import Upload
    from limbik.formats.motion_upload import ENDINGS, read_from
    from limbik.formats.motions import METRES

    path = Path(file).expanduser()
    if path.suffix.lower() not in ENDINGS:
        raise FormatError(file, f"needs one of the endings {', '.join(ENDINGS)}")
    if unit is not None and unit not in METRES:
        raise ModelError(f"--unit needs one of {', '.join(METRES)} here, found {unit!r}")
    try:
        files = {path.name: path.read_bytes()}
        if (numbers := path.with_suffix(".bin")).is_file():  # of a glTF
            files[numbers.name] = numbers.read_bytes()
    except OSError as error:
        raise FormatError(file, f"cannot be read: {error.strerror or error}") from None
    read_from(files, path.name, unit, up, None)  # what is wrong with it is said here, not on the page
    check_robots([] if robot is None else [robot])
    upload = Upload(path.name, files)
    options = {"unit": unit, "up": up, "robot": robot}
    chosen = {name: value for name, value in options.items() if value is not None}
    query = urlencode({"view": "motion", "token": upload.token, "name": path.name, **chosen})
    typed = [word for name, value in chosen.items() for word in (f"--{name}", value)]
    open_playground(
        host,
        port,
        no_browser,
        query=f"/?{query}",
        command=["limbik", "motion", "show", file, *typed],
        uploads=[upload],
    )


@motion.command()
def picture(
    file: File,
    out: Annotated[str, typer.Option("--out", help="Where to write: a file that ends in .svg.")],
    model: ModelName = None,
    unit: UnitName = None,
    up: UpName = None,
    animation: AnimationName = None,
    figures: Annotated[int, typer.Option(help="How many figures.")] = 9,
) -> None:
    """Draw a motion from the side: figures at even times, the left of the body blue, the right orange.

    For example: limbik motion picture walk.bvh --out walk.svg
    """
    from limbik.motion.picture import picture as drawn

    check_ending(out, ".svg")
    text = drawn(load_file(file, model, unit, up, animation), figures=figures)
    write_text(out, text + "\n")
    typer.echo(f"{out}: {text.count('<text')} figures")
