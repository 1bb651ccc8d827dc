"""Functions that are compiled on their first call and kept on disk.

`@compiled` marks a function as a kernel. Nothing is compiled, and Numba is not even imported, until the
kernel is called. `kernel.bind(step=..., ROWS=2)` gives a new kernel in which some global names mean something
else: this is how one loop serves every solver, with its step inlined and its sizes known to the compiler.

The compiled code is kept on disk under a fingerprint of all that went into it: the kernel's own bytecode
and constants, and those of every kernel that it calls. (Numba alone looks only at the file of the outermost
function, and misses a change in any other.)
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import sys
import tempfile
import threading
import types
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Generic, ParamSpec, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from numba.core.caching import FunctionCache

Floats: TypeAlias = NDArray[np.float64]
Records: TypeAlias = Any  # a structured array, or one record of it: fields are attributes inside a kernel

# Sums may be reordered and multiplications contracted; NaN and infinity keep their meaning.
FAST_MATH = {"reassoc", "contract", "arcp", "nsz"}

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")

_compiling = threading.RLock()
_lowers_only = False


def lower_only() -> None:
    """From here on, kernels are compiled for `core.ahead`: without ways in, without counts of references to
    arrays, because they neither allocate nor return any, and without a place on disk.
    """
    global _lowers_only
    _lowers_only = True


class Kernel(Generic[Arguments, Returned]):
    """A function that runs as machine code; see the module's docstring."""

    def __init__(
        self,
        function: Callable[Arguments, Returned],
        options: dict[str, Any],
        bindings: dict[str, Any],
        interpreted: Callable[Arguments, Returned] | None = None,
    ) -> None:
        self.function: Any = function
        self.options = options
        self.bindings = bindings
        self.given_interpreted = interpreted
        functools.update_wrapper(self, function)

    def __call__(self, *arguments: Arguments.args, **named: Arguments.kwargs) -> Returned:
        return self.dispatcher(*arguments, **named)

    @functools.cached_property
    def interpreted(self) -> Callable[Arguments, Returned]:
        """The same function run by Python itself, and every kernel that it calls: slow, but there at once."""
        if self.given_interpreted is not None:
            return self.given_interpreted
        names = {
            name: _interpreted(value, self.bindings) if isinstance(value, Kernel) else value
            for name, value in self.scope.items()
        }
        scope = {**self.function.__globals__, **names}
        return types.FunctionType(self.function.__code__, scope, self.function.__name__)

    def bind(self, **bindings: Any) -> Kernel[Arguments, Returned]:
        """The same kernel with other meanings for global names that it, or a kernel it calls, uses."""
        return Kernel(self.function, self.options, {**self.bindings, **bindings}, None)

    @property
    def scope(self) -> dict[str, Any]:
        """What the global names in the function's body mean."""
        names = self.function.__globals__ | self.bindings
        return {name: names[name] for name in self.function.__code__.co_names if name in names}

    @property
    def names(self) -> set[str]:
        """The global names used by this kernel and by the kernels that it calls."""
        names = set(self.function.__code__.co_names)
        for value in self.scope.values():
            if isinstance(value, Kernel):
                names |= value.names
        return names

    @property
    def name(self) -> str:
        """A name that tells this binding from the others, for the cache."""
        bound = [
            f"{name}={getattr(value, 'name', value)}".replace("/", ".")
            for name, value in self.bindings.items()
        ]
        name = self.function.__qualname__ + (f"[{','.join(bound)}]" if bound else "")
        module = self.function.__module__.removeprefix("limbik.")
        return f"{module}.{name}"

    @functools.cached_property
    def fingerprint(self) -> str:
        """A hash of everything that decides what the kernel does."""
        code = self.function.__code__
        constants = code.co_consts[1 if self.function.__doc__ else 0 :]
        options = [
            (key, sorted(value) if isinstance(value, set) else value) for key, value in self.options.items()
        ]
        digest = hashlib.sha256(repr((self.name, options, code.co_names, constants)).encode())
        digest.update(code.co_code)
        for name, value in sorted(self.scope.items()):
            if isinstance(value, Kernel):
                digest.update(_inner(value, self.bindings).fingerprint.encode())
            elif isinstance(value, int | float | str | tuple):
                digest.update(f"{name}={value!r}".encode())
        return digest.hexdigest()

    @functools.cached_property
    def dispatcher(self) -> Callable[Arguments, Returned]:
        """Numba's own callable: the quickest way in for a caller who keeps it."""
        with _compiling:
            dispatcher: Callable[Arguments, Returned] = _numba_dispatcher(self)
            return dispatcher


@overload
def compiled(function: Callable[Arguments, Returned], /) -> Kernel[Arguments, Returned]: ...
@overload
def compiled(
    *, exact: bool = False, inline: bool | None = None
) -> Callable[[Callable[Arguments, Returned]], Kernel[Arguments, Returned]]: ...
def compiled(function: Any = None, *, exact: bool = False, inline: bool | None = None) -> Any:
    """Mark a function as a kernel.

    exact: forbid reordering its arithmetic (for cancelling terms). inline: True puts its code in the place of
    every call (for the few lines inside an inner loop), False never does (for what is long and called from
    several places); by default it is put into other kernels only.
    """
    if function is None:
        return functools.partial(compiled, exact=exact, inline=inline)
    options = {"fastmath": False if exact else FAST_MATH, "forceinline": inline}
    return Kernel(function, options, {})


def to_be_bound() -> Any:
    """Stands for a name in a kernel that `Kernel.bind` gives its meaning."""
    return None


def _numba_dispatcher(kernel: Kernel[..., Any]) -> Any:
    import numba

    scope = {**kernel.function.__globals__, **kernel.scope}
    for name, value in kernel.scope.items():
        if isinstance(value, Kernel):
            scope[name] = _inner(value, kernel.bindings).dispatcher
    function = types.FunctionType(
        kernel.function.__code__, scope, kernel.function.__name__, kernel.function.__defaults__
    )
    function.__qualname__ = _file_name(kernel.name)
    function.__module__ = kernel.function.__module__
    vars(function)["fingerprint"] = kernel.fingerprint
    options = {**kernel.options, "forceinline": bool(kernel.options["forceinline"])}
    if _lowers_only:
        options |= {"_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    dispatcher: Any = numba.njit(nogil=True, error_model="numpy", **options)(function)
    cache = None if _lowers_only else _disk_cache(function)
    if cache is not None:
        dispatcher._cache = cache
    return dispatcher


def _interpreted(kernel: Kernel[..., Any], bindings: dict[str, Any]) -> Callable[..., Any]:
    return kernel.given_interpreted or _inner(kernel, bindings).interpreted


_inner_kernels: dict[tuple[Any, ...], Kernel[..., Any]] = {}


def _inner(kernel: Kernel[..., Any], bindings: dict[str, Any]) -> Kernel[..., Any]:
    """A kernel as its caller's bindings make it; the same object for equal bindings."""
    used = {name: value for name, value in bindings.items() if name in kernel.names}
    inline = kernel.options["forceinline"]
    options = {**kernel.options, "forceinline": True if inline is None else inline}
    bound = Kernel(kernel.function, options, {**kernel.bindings, **used}, kernel.given_interpreted)
    key = (kernel.function, *sorted((name, id(value)) for name, value in bound.bindings.items()))
    return _inner_kernels.setdefault(key, bound)


def _file_name(name: str) -> str:
    """A kernel's name, short enough for every file system."""
    return name if len(name) < 100 else f"{name[:80]}~{hashlib.sha256(name.encode()).hexdigest()[:12]}"


@functools.cache
def cache_folder(content: str = "kernels") -> Path | None:
    """Where something is kept for the next process: in `$LIMBIK_CACHE_DIR` or the user's cache; None if it
    cannot be read or made. A folder that can only be read is good for what it holds.
    """
    root = _cache_root()
    try:
        folder = root.expanduser() / content
        folder.mkdir(parents=True, exist_ok=True)
    except RuntimeError:
        _warn_of_cache(root, "there is no home folder")
        return None
    except OSError as error:
        _warn_of_cache(root, str(error.strerror))
        return None
    return folder


def _cache_root() -> Path:
    """As the user has it; it may begin with ~."""
    if "LIMBIK_CACHE_DIR" in os.environ:
        return Path(os.environ["LIMBIK_CACHE_DIR"])
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", "~/AppData/Local")) / "limbik"
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "limbik"


@contextlib.contextmanager
def file_made_whole(path: Path) -> Iterator[IO[bytes]]:
    """A file to be written that appears under its name when it is complete, or not at all."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        try:
            yield file
            file.close()
            os.replace(file.name, path)
        except BaseException:
            file.close()
            Path(file.name).unlink(missing_ok=True)
            raise


@functools.cache
def can_keep() -> bool:
    """Whether the cache folder can be written; warns once where it cannot."""
    folder = cache_folder()
    if folder is None:
        return False
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError as error:
        _warn_of_cache(folder.parent, str(error.strerror))
        return False


@functools.cache
def _warn_of_cache(root: Path, problem: str) -> None:
    warnings.warn(
        f"limbik cannot keep what it compiles in {root} ({problem}); it will be compiled again in every "
        "process. Set LIMBIK_CACHE_DIR to a folder that can be written.",
        RuntimeWarning,
        stacklevel=2,
    )


def _disk_cache(function: types.FunctionType) -> FunctionCache | None:
    """Numba's function cache, placed in `cache_folder()`."""
    if not can_keep():
        return None
    return _cache_class()(function)


@functools.cache
def _cache_class() -> type[FunctionCache]:
    from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

    class Locator(_CacheLocator):
        """Keeps every kernel in limbik's folder, stamped with its fingerprint."""

        def __init__(self, fingerprint: str) -> None:
            self._fingerprint = fingerprint

        def get_cache_path(self) -> str:
            return str(cache_folder())

        def get_source_stamp(self) -> str:
            return self._fingerprint

        def get_disambiguator(self) -> str:
            return "limbik"

        @classmethod
        def from_function(cls, py_func: Any, py_file: str) -> Locator:
            return cls(py_func.fingerprint)

    class Implementation(CompileResultCacheImpl):
        _locator_classes = [Locator]  # type: ignore[list-item] # noqa: RUF012

    class Cache(FunctionCache):
        _impl_class = Implementation

    return Cache
