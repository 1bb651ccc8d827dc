"""SEE: the playground, a server and a page on which a person can drag an arm's target.

`limbik play` starts it; `running()` starts it inside a program (a notebook, a test) and stops it again.
"""

from importlib import import_module as _import_module

from limbik.errors import MissingExtra

for _library in ("msgpack", "starlette", "uvicorn", "websockets"):
    try:
        _import_module(_library)
    except ImportError as error:
        raise MissingExtra("app", "the playground") from error

from limbik.app.server import create_app, running  # noqa: E402  # says which extra is missing first

__all__ = ["create_app", "running"]
