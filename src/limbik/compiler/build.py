"""Compiles a program's bitcode to machine code for this processor, with what is linked to it.

A process of its own runs this file as a script, without the rest of the package: LLVM, and nothing else.
"""

from __future__ import annotations

import contextlib
import hashlib
import lzma
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

QUICK, FULL = 0, 3
LENGTH = 8  # bytes of a length
EXPORTED = ("entry", "python_functions", "memset")


def target_machine(level: int = FULL) -> Any:
    """LLVM's description of this processor; level: how much its code generator takes trouble, from 0 to 3."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=level,
        reloc="default",
        codemodel="jitdefault",
        jit=True,
    )


def machine_code(bitcode: bytes, text: str, is_closed: bool, level: int = FULL) -> bytes:
    """The object file of a program: its bitcode, compressed, with the text linked in.

    is_closed: the bitcode has been optimised, and the text adds nothing to it but an entry. level: at QUICK
    this takes an eighth of the time, and the code is slower; its answers may differ in the last digits, as
    it contracts no products.
    """
    import llvmlite.binding as llvm

    machine = target_machine(level)
    module = llvm.parse_bitcode(lzma.decompress(bitcode))
    linked = llvm.parse_assembly(text)
    for part in (module, linked):
        part.triple, part.data_layout = machine.triple, str(machine.target_data)
    module.link_in(linked)
    for part in (*module.functions, *module.global_variables):
        if not part.is_declaration and part.name not in EXPORTED:
            part.linkage = "internal"
    if not is_closed and level == FULL:
        options = llvm.create_pipeline_tuning_options(speed_level=3)
        builder = llvm.create_pass_builder(machine, options)
        builder.getModulePassManager().run(module, builder)
    return bytes(machine.emit_object(module))


def sealed(code: bytes, name: str) -> bytes:
    """Machine code as it is stored under a name: behind a digest of both, because a damaged file, or that of
    another program, would take the process down."""
    return hashlib.sha256(name.encode() + code).digest() + code


def unsealed(content: bytes, name: str) -> bytes | None:
    """The machine code of a file; None where it is damaged."""
    code = content[32:]
    return code if sealed(code, name) == content else None


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


def keep(folder: str, name: str, code: bytes) -> None:
    """Store machine code in a folder, where there is one that can be written."""
    if folder:
        with contextlib.suppress(OSError), file_made_whole(Path(folder) / name) as file:
            file.write(sealed(code, name))


def main(bitcode: str, folder: str, name: str, is_closed: str, size: str) -> None:
    """Compile the bitcode of a file with the text of standard input. To standard output goes machine code
    that is made quickly, behind its length, then the full one, both sealed. This is also stored in a folder
    where there is one that can be written.

    size: bytes of the text. Of a caller that ends before it has written them all, LLVM might take what there
    is for a program without an entry.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for the caller; the next one has the code
    text = sys.stdin.buffer.read()
    if len(text) != int(size):
        sys.exit(f"the compiler needs {size} bytes of text, found {len(text)}")
    program = Path(bitcode).read_bytes(), text.decode(), is_closed == "True"
    quick = sealed(machine_code(*program, level=QUICK), name)
    _send(len(quick).to_bytes(LENGTH, "little") + quick)
    code = machine_code(*program)
    keep(folder, name, code)
    _send(sealed(code, name))


def _send(part: bytes) -> None:
    """Write to standard output; where the caller has ended, the next one reads the file."""
    with contextlib.suppress(OSError):
        sys.stdout.buffer.write(part)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
