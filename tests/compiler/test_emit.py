"""Emitted kernels, compiled and interpreted, do what the function says that they were written from."""

import ctypes
import math

import llvmlite.binding as llvm
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from limbik.compiler.build import target_machine
from limbik.compiler.emit import Emitted, Numbers
from limbik.compiler.symbols import absolute, floor, larger, polynomial, select, smaller, sqrt

INPUTS, CONSTANTS = 3, (Numbers(2),)


def machine_code(kernel):
    """An emitted kernel as machine code, which lives as long as the process."""
    module = llvm.parse_assembly(kernel.text("emitted"))
    machine = target_machine()
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    ENGINES.append(engine)
    count = 1 + len(kernel.numbers) + (kernel.held > 0)
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * count)(engine.get_function_address("emitted"))
    return lambda *arrays: function(*[array.ctypes.data for array in arrays])


ENGINES = []


TOLERANCE = {False: 1e-12, True: 1e-5}


def every_operation(rows, constants):
    """Something of everything, some of it stored behind the inputs and one of it over an input."""
    x, y, z = rows
    a, b = constants
    length = sqrt(x * x + y * y + 0.5)
    turned = polynomial((0.25, -1.0, 0.5), z - 2.0 * floor(z * 0.5 + 0.5))
    nearer = select((x < y) & (length > a), x * b, -y / length)
    return [
        (4, length + absolute(z)),
        (3, smaller(larger(turned, -1.0), 1.0)),
        (5, nearer),
        (0, select((x >= 0.0) | (y <= z), x + 1.0 / length, x * 0.0)),
        (6, 0.75),
    ]


def by_hand(x, y, z, a, b):
    """The same in plain Python, by row."""
    length = math.sqrt(x * x + y * y + 0.5)
    u = z - 2.0 * math.floor(z * 0.5 + 0.5)
    turned = (0.25 * u - 1.0) * u + 0.5
    return {
        4: length + abs(z),
        3: min(max(turned, -1.0), 1.0),
        5: x * b if x < y and length > a else -y / length,
        0: x + 1.0 / length if x >= 0.0 or y <= z else 0.0,
        6: 0.75,
        1: y,
        2: z,
    }


@pytest.mark.parametrize("lanes", [1, 8, 64])
@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("tier", ["interpreted", "compiled"])
def test_a_kernel_does_what_its_function_says(lanes, single, tier):
    kernel = Emitted(every_operation, inputs=INPUTS, numbers=CONSTANTS, lanes=lanes, single=single)
    run = kernel.interpreted if tier == "interpreted" else machine_code(kernel)
    kind = np.float32 if single else np.float64
    rng = np.random.default_rng(lanes)
    for _ in range(20):
        values, constants = rng.uniform(-3.0, 3.0, (INPUTS, lanes)).astype(kind), rng.uniform(0.2, 2.0, 2)
        block = np.zeros((7, lanes), kind)
        block[:INPUTS] = values
        run(block.reshape(-1), constants.astype(kind))
        for lane in range(lanes):
            for row, expected in by_hand(*values[:, lane].tolist(), *constants.tolist()).items():
                assert abs(block[row, lane] - expected) <= TOLERANCE[single] * (1.0 + abs(expected)), row


@pytest.mark.parametrize("tier", ["interpreted", "compiled"])
def test_inputs_are_read_before_anything_is_stored(tier):
    kernel = Emitted(lambda rows: [(0, rows[1]), (1, rows[0])], inputs=2, lanes=8)
    run = kernel.interpreted if tier == "interpreted" else machine_code(kernel)
    block = np.arange(16.0)
    run(block)
    assert_array_equal(block, [*range(8, 16), *range(8)])


@pytest.mark.parametrize("lanes", [1, 8])
def test_no_more_of_the_block_is_touched_than_is_stored(lanes):
    kernel = Emitted(every_operation, inputs=INPUTS, numbers=CONSTANTS, lanes=lanes)
    block = np.full(9 * lanes, 7.0)
    kernel.interpreted(block, np.array([1.0, 2.0, 9.0]))
    assert_allclose(block[7 * lanes :], 7.0)
    assert_allclose(block[lanes : 3 * lanes], 7.0)


def test_lanes_do_not_see_each_other():
    kernel = Emitted(every_operation, inputs=INPUTS, numbers=CONSTANTS, lanes=8)
    run_compiled = machine_code(kernel)
    rng = np.random.default_rng(0)
    values = rng.uniform(-3.0, 3.0, (INPUTS, 8))
    constants = np.array([0.7, 1.3])
    results = []
    for order in (np.arange(8), np.arange(8)[::-1]):
        for run in (kernel.interpreted, run_compiled):
            block = np.zeros((7, 8))
            block[:INPUTS] = values[:, order]
            run(block.reshape(-1), constants)
            results.append(block[:, np.argsort(order)])
    assert_array_equal(results[0], results[2])
    assert_array_equal(results[1], results[3])
    alone = np.zeros((7, 8))
    alone[:INPUTS] = math.nan
    alone[:INPUTS, 3] = values[:, 3]
    run_compiled(alone.reshape(-1), constants)
    assert_array_equal(alone[:, 3], results[1][:, 3])


@pytest.mark.parametrize("lanes", [8, 64])
@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("tier", ["interpreted", "compiled"])
def test_numbers_may_stand_apart_and_rows_of_single_precision_beside_the_block(lanes, single, tier):
    def function(rows, near, far, held):
        return [(1, rows[0] * near[1] + far[2] * held[1]), (0, held[0] - near[0])]

    numbers = [Numbers(2), Numbers(3, stride=5)]
    kernel = Emitted(function, inputs=1, numbers=numbers, held=2, lanes=lanes, single=single)
    run = kernel.interpreted if tier == "interpreted" else machine_code(kernel)
    kind = np.float32 if single else np.float64
    rng = np.random.default_rng(0)
    block, near, far = (rng.uniform(-3.0, 3.0, size).astype(kind) for size in (2 * lanes, 2, 11))
    held = rng.uniform(-3.0, 3.0, 2 * lanes).astype(np.float32)
    expected = [*(held[:lanes] - near[0]), *(block[:lanes] * near[1] + far[10] * held[lanes:])]
    run(block, near, far, held)
    assert_allclose(block, expected, rtol=0.0, atol=20.0 * TOLERANCE[single])
