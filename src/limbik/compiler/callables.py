"""Makes Python callables of compiled functions, without the cost of ctypes.

A single solve takes about a microsecond, and ctypes a third of one more, or several where there are many
arguments: an entry is a function as CPython calls its own built-in ones (METH_FASTCALL, of the stable
interface). That of a single solve holds the interpreter's lock. What takes longer lets go of it; it asks its
watch, a function of Python, whether to go on, so that Ctrl-C and time limits are heard. Its arguments stand
in an array, which is written once for any number of calls.
"""

from __future__ import annotations

import ctypes
from collections.abc import Container, Sequence
from typing import Any

from limbik.compiler.program import KERNEL, WATCH, Program
from limbik.errors import LimbikError

FASTCALL = 0x80
PYTHON_FUNCTIONS = (
    "PyLong_AsVoidPtr", "PyLong_AsLongLong", "PyBytes_AsString", "PyLong_FromLongLong",
    "PyEval_SaveThread", "PyEval_RestoreThread", "PyObject_CallNoArgs", "PyObject_IsTrue", "Py_DecRef",
)  # fmt: skip
PYTHON = "python_functions"  # their addresses: a variable beside the entry, filled in when it is loaded
ENTRY = "entry"


class PyMethodDef(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


# LLVM calls the C library's function where numbers are set to 0, and an object file of ours cannot: it brings
# its own. Sizes are those of whole numbers of 8 bytes.
MEMSET = """
define ptr @memset(ptr %to, i32 %value, i64 %size) {
entry:
  %byte = and i32 %value, 255
  %wide = zext i32 %byte to i64
  %word = mul i64 %wide, 72340172838076673
  %words = lshr i64 %size, 3
  br label %check
check:
  %i = phi i64 [ 0, %entry ], [ %next, %write ]
  %more = icmp ult i64 %i, %words
  br i1 %more, label %write, label %done
write:
  %address = getelementptr i64, ptr %to, i64 %i
  store i64 %word, ptr %address
  %next = add i64 %i, 1
  br label %check
done:
  ret ptr %to
}
"""


def entry(program: Program) -> str:
    """The text of a program's entry."""
    kinds = ["ptr", "i64"] if program.arguments is None else llvm_types(program.arguments)
    declared = (
        f"@{PYTHON} = global [{len(PYTHON_FUNCTIONS)} x ptr] zeroinitializer\n"
        f"declare i64 @{KERNEL}({', '.join(kinds)})\n"
    )
    written = WATCHED_ENTRY if program.arguments is None else _python_entry(kinds, program.as_bytes)
    return declared + written + MEMSET


def llvm_types(arguments: Sequence[Any]) -> list[str]:
    """LLVM's types of single arguments."""
    return ["i64" if each is None else "ptr" for each in arguments]


def _python_entry(kinds: list[str], as_bytes: Container[int]) -> str:
    """A function of the arguments themselves, which come as int, or as bytes."""
    lines = []
    for i, kind in enumerate(kinds):
        of_pointer = "PyBytes_AsString" if i in as_bytes else "PyLong_AsVoidPtr"
        convert = "PyLong_AsLongLong" if kind == "i64" else of_pointer
        lines += [
            f"  %address{i} = getelementptr ptr, ptr %arguments, i64 {i}",
            f"  %object{i} = load ptr, ptr %address{i}",
            _load_function(f"convert{i}", convert),
            f"  %a{i} = call {kind} %convert{i}(ptr %object{i})",
        ]
    converted = "\n".join(lines)
    parameters = ", ".join(f"{kind} %a{i}" for i, kind in enumerate(kinds))
    return f"""
define ptr @{ENTRY}(ptr %self, ptr %arguments, i64 %count) {{
{converted}
  %code = call i64 @{KERNEL}({parameters})
{_load_function("convert", "PyLong_FromLongLong")}
  %answer = call ptr %convert(i64 %code)
  ret ptr %answer
}}
"""


def _load_function(name: str, function: str) -> str:
    slot = f"getelementptr (ptr, ptr @{PYTHON}, i64 {PYTHON_FUNCTIONS.index(function)})"
    return f"  %{name} = load ptr, ptr {slot}"


# A function of the address of an array with the arguments, 8 bytes each, and of the watch.
#
# What the watch needs: the state of the thread while it does not hold the lock, the watch, and whether
# it has said to stop (1) or has raised an exception (2), which Python finds after the return.
WATCHED_ENTRY = f"""
define ptr @{ENTRY}(ptr %self, ptr %arguments, i64 %count) {{
{_load_function("address_of", "PyLong_AsVoidPtr")}
  %object = load ptr, ptr %arguments
  %numbers = call ptr %address_of(ptr %object)
  %watch.argument = getelementptr ptr, ptr %arguments, i64 1
  %watch = load ptr, ptr %watch.argument
  %record = alloca {{ ptr, ptr, i64 }}
  %watch.address = getelementptr {{ ptr, ptr, i64 }}, ptr %record, i32 0, i32 1
  store ptr %watch, ptr %watch.address
  %stopped.address = getelementptr {{ ptr, ptr, i64 }}, ptr %record, i32 0, i32 2
  store i64 0, ptr %stopped.address
{_load_function("save", "PyEval_SaveThread")}
{_load_function("restore", "PyEval_RestoreThread")}
  %thread = call ptr %save()
  store ptr %thread, ptr %record
  %address = ptrtoint ptr %record to i64
  %code = call i64 @{KERNEL}(ptr %numbers, i64 %address)
  %saved = load ptr, ptr %record
  call void %restore(ptr %saved)
  %stopped = load i64, ptr %stopped.address
  %has.failed = icmp eq i64 %stopped, 2
  br i1 %has.failed, label %fail, label %answer
answer:
{_load_function("convert", "PyLong_FromLongLong")}
  %number = call ptr %convert(i64 %code)
  ret ptr %number
fail:
  ret ptr null
}}

define i64 @{WATCH}(i64 %address) noinline cold {{
  %record = inttoptr i64 %address to ptr
  %stopped.address = getelementptr {{ ptr, ptr, i64 }}, ptr %record, i32 0, i32 2
  %stopped = load i64, ptr %stopped.address
  %has.stopped = icmp ne i64 %stopped, 0
  br i1 %has.stopped, label %end, label %ask
ask:
  %watch.address = getelementptr {{ ptr, ptr, i64 }}, ptr %record, i32 0, i32 1
  %watch = load ptr, ptr %watch.address
{_load_function("save", "PyEval_SaveThread")}
{_load_function("restore", "PyEval_RestoreThread")}
{_load_function("call", "PyObject_CallNoArgs")}
{_load_function("is_true", "PyObject_IsTrue")}
{_load_function("forget", "Py_DecRef")}
  %saved = load ptr, ptr %record
  call void %restore(ptr %saved)
  %answer = call ptr %call(ptr %watch)
  %is.error = icmp eq ptr %answer, null
  br i1 %is.error, label %fail, label %read
read:
  %truth = call i32 %is_true(ptr %answer)
  call void %forget(ptr %answer)
  %is.to.stop = icmp ne i32 %truth, 0
  br i1 %is.to.stop, label %stop, label %go.on
stop:
  store i64 1, ptr %stopped.address
  br label %go.on
fail:
  store i64 2, ptr %stopped.address
  br label %go.on
go.on:
  %thread = call ptr %save()
  store ptr %thread, ptr %record
  %is.stopped = load i64, ptr %stopped.address
  ret i64 %is.stopped
end:
  ret i64 1
}}
"""


class Entry:
    """A program as a built-in function of Python; what its watch raises, the call raises.

    It can be led to other machine code of the same program, whoever holds it: Python reads the address at
    each call.
    """

    def __init__(self, engine: Any) -> None:
        self._method = PyMethodDef(ENTRY.encode(), None, FASTCALL, None)
        self._engines: list[Any] = []  # whose code may still be running
        self.lead_to(engine)
        make = ctypes.pythonapi.PyCFunction_NewEx
        make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
        self.function: Any = make(ctypes.addressof(self._method), None, None)
        _entries.append(self)

    def lead_to(self, engine: Any) -> None:
        """Have the next calls run an engine's machine code. Raises LimbikError for code without an entry."""
        address = engine.get_function_address(ENTRY)
        if not address:
            raise LimbikError("the machine code has no entry")
        _give_python_functions(engine)
        self._engines.append(engine)
        self._method.address = address


def _give_python_functions(engine: Any) -> None:
    functions = [getattr(ctypes.pythonapi, each) for each in PYTHON_FUNCTIONS]
    addresses = (ctypes.c_void_p * len(functions)).from_address(engine.get_global_value_address(PYTHON))
    addresses[:] = [ctypes.cast(function, ctypes.c_void_p).value for function in functions]


_entries: list[Entry] = []  # whose methods Python holds by their addresses
