"""The decorator `compiled`: functions that programs are compiled from, and that Python can run as they are.

`@compiled` marks a function as a kernel. `kernel.bind(step=..., ROWS=2)` gives a new kernel in which some
global names mean something else: this is how one loop serves every solver, with its step inlined and its
sizes known to the compiler. A name that stands for `OPEN` gets its meaning by `bind`, or when a program is
linked (`compiler.native`).

Called, a kernel is run by Python itself, with every kernel that it calls. Machine code is made of whole
programs only: by Numba as bitcode that comes with the package (`compiler.make`), and of that for the
processor at hand (`compiler.build`).
"""

from __future__ import annotations

import functools
import hashlib
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Generic, ParamSpec, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from limbik.compiler.arrays import ANY, WATCH_KIND, array
from limbik.locks import cached_property

if TYPE_CHECKING:
    import ast  # which is slow to import, and needed where a program is made

Floats: TypeAlias = Annotated[NDArray[np.float64], array(ANY)]
Matrix: TypeAlias = Annotated[NDArray[np.float64], array(ANY, ANY)]
Records: TypeAlias = Any  # a structured array, or one record of it: fields are attributes inside a kernel
# Whether a solve is to end; inside a program, how it is looked at.
Watch: TypeAlias = Annotated[Callable[[], bool], WATCH_KIND]

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")


class _Open:
    """What a name means that `Kernel.bind`, or linking, gives its meaning."""

    def __repr__(self) -> str:
        return "OPEN"


OPEN = _Open()


class Kernel(Generic[Arguments, Returned]):
    """A function of a program; see the module's docstring."""

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
        self.own_interpreted = interpreted
        functools.update_wrapper(self, function)

    def __call__(self, *arguments: Arguments.args, **named: Arguments.kwargs) -> Returned:
        return self.interpreted(*arguments, **named)

    @cached_property
    def interpreted(self) -> Callable[Arguments, Returned]:
        """The same function run by Python itself, and every kernel that it calls: slow, but there at once."""
        if self.own_interpreted is not None:
            return self.own_interpreted
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

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all that decides what the kernel does: its code without comments, and what it uses."""
        options = [
            (key, sorted(value) if isinstance(value, set) else value) for key, value in self.options.items()
        ]
        import ast

        digest = hashlib.sha256(repr((self.name, options, ast.unparse(self.tree))).encode())
        for name, value in sorted(self.scope.items()):
            if isinstance(value, Kernel):
                digest.update(inner(value, self.bindings).fingerprint.encode())
            elif isinstance(value, int | float | str | tuple):
                digest.update(f"{name}={value!r}".encode())
        return digest.hexdigest()

    @property
    def tree(self) -> ast.FunctionDef:
        """The function's source, without decorators, annotations and docstring."""
        import ast
        import inspect
        import textwrap

        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(self.function))).body
        assert isinstance(tree, ast.FunctionDef)
        tree.decorator_list, tree.returns = [], None
        for argument in tree.args.args:
            argument.annotation = None
        if ast.get_docstring(tree) is not None:
            del tree.body[0]
        return tree


class Primitive(Kernel[Arguments, Returned]):
    """A kernel that machine code has in another form, which `compiler.make` knows by its name."""

    def __init__(self, function: Callable[Arguments, Returned]) -> None:
        super().__init__(function, {}, {}, function)

    @property
    def names(self) -> set[str]:
        """None that could be bound."""
        return set()

    @property
    def fingerprint(self) -> str:
        """Its name: what it does is up to `compiler.make`."""
        return self.function.__qualname__


@overload
def compiled(function: Callable[Arguments, Returned], /) -> Kernel[Arguments, Returned]: ...
@overload
def compiled(
    *, inline: bool | None = None
) -> Callable[[Callable[Arguments, Returned]], Kernel[Arguments, Returned]]: ...
def compiled(function: Any = None, *, inline: bool | None = None) -> Any:
    """Mark a function as a kernel.

    Machine code does its arithmetic in the order in which it is written, and rounds after each operation, as
    Python does: both give the same bits. inline: True puts its code into every caller (for the few
    lines inside an inner loop), False never does (for what is long and called several times); by
    default it is put into other kernels only.
    """
    if function is None:
        return functools.partial(compiled, inline=inline)
    options = {"forceinline": inline}
    return Kernel(function, options, {})


def to_be_bound() -> Any:
    """Stands for a name in a kernel that `Kernel.bind`, or linking, gives its meaning."""
    return OPEN


def _interpreted(kernel: Kernel[..., Any], bindings: dict[str, Any]) -> Callable[..., Any]:
    return kernel.own_interpreted or inner(kernel, bindings).interpreted


_inner_kernels: dict[tuple[Any, ...], Kernel[..., Any]] = {}


def inner(kernel: Kernel[..., Any], bindings: dict[str, Any]) -> Kernel[..., Any]:
    """A kernel as its caller's bindings make it; the same object for equal bindings."""
    if isinstance(kernel, Primitive):
        return kernel
    used = {name: value for name, value in bindings.items() if name in kernel.names}
    inline = kernel.options["forceinline"]
    options = {**kernel.options, "forceinline": True if inline is None else inline}
    bound = Kernel(kernel.function, options, {**kernel.bindings, **used}, kernel.own_interpreted)
    key = (kernel.function, *sorted((name, id(value)) for name, value in bound.bindings.items()))
    return _inner_kernels.setdefault(key, bound)


NOW = 63  # a count at which machine code calls its watch


@Primitive
def empty(*shape: int) -> Floats:
    """An array for the time of the call in which it is made; machine code has it on the stack."""
    return np.empty(shape)


@Primitive
def is_stopped(watch: Any, count: int) -> bool:
    """Whether the caller wants a loop to end; machine code asks it every 64 counts only, and at NOW."""
    return bool(watch())


@Primitive
def prefetch(array: Any, index: int) -> None:
    """Say that a number will be needed soon; machine code has the processor begin to load it."""


@Primitive
def view(pointer: Any, *shape: int) -> Any:
    """The array that an address leads to."""
    raise NotImplementedError("Python itself has the arrays, and not their addresses")
