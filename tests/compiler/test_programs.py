"""The programs that come with the package are those of the sources, and compile for other processors too."""

import lzma

import llvmlite.binding as llvm
import pytest

from limbik.compiler import native
from make_programs import programs, stale

OTHERS = {
    "x86-64 of 2013": ("x86_64-unknown-linux-gnu", "x86-64-v3"),
    "x86-64 with wide vectors": ("x86_64-unknown-linux-gnu", "x86-64-v4"),
    "64-bit ARM": ("aarch64-unknown-linux-gnu", "generic"),
    "Apple": ("arm64-apple-darwin", "apple-m1"),
    "Windows": ("x86_64-pc-windows-msvc", "x86-64-v3"),
}


def test_bitcode_is_of_the_kernels_as_they_are():
    assert stale() == {}, "run tools/make_programs.py"


def test_every_program_is_there_and_nothing_else():
    files = {file.name for file in native.BITCODE.glob("*.xz")}
    assert files == {f"{name}.bc.xz" for name in programs()}


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("name", ["many", "method-jacobian_iteration"])
def test_a_program_compiles_for_other_processors(name, other):
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    triple, processor = OTHERS[other]
    machine = llvm.Target.from_triple(triple).create_target_machine(cpu=processor, opt=1)
    program = programs()[name]
    module = llvm.parse_bitcode(lzma.decompress((native.BITCODE / f"{name}.bc.xz").read_bytes()))
    linked = llvm.parse_assembly(native._linked(program))
    for part in (module, linked):
        part.triple, part.data_layout = triple, str(machine.target_data)
    module.link_in(linked)
    module.verify()
    assert len(machine.emit_object(module)) > 10_000
