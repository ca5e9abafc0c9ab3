#!/usr/bin/env python3
"""Compares the contact code with the IPC Toolkit, another implementation of the same method.

    pip install ipctk numpy
    python scripts/compare_ipctk.py                       # distances, barrier, friction, collision times
    python scripts/compare_ipctk.py out/soft-pile/*.vtu   # and: does anything intersect in these frames?

The first part asks `cargo run --release -p splashdown-solids --example oracle` for random cases and our
answers (`--oracle PROGRAM`: an example that is built already). Distances with derivatives, barrier and
friction must agree to 1e-8 (relative); our collisions must not be later than theirs. Frames are those of
elastic bodies; solids without elasticity are not in them. Exit code 1 if anything fails; where ipctk is not
installed, a message and exit code 0.
"""
import argparse
import json
import re
import subprocess
import sys

try:
    import ipctk
    import numpy as np
except ImportError as error:
    print(f"skipped: {error} (pip install ipctk numpy)")
    sys.exit(0)

TOLERANCE = 1e-8
DISTANCES = {
    "pt": (ipctk.point_triangle_distance, ipctk.point_triangle_distance_gradient, ipctk.point_triangle_distance_hessian),
    "ee": (ipctk.edge_edge_distance, ipctk.edge_edge_distance_gradient, ipctk.edge_edge_distance_hessian),
}


def relative(ours, theirs):
    ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
    return float(np.abs(ours - theirs).max() / max(1e-300, np.abs(theirs).max()))


def pairs(case):
    x = np.array(case["x"]).reshape(-1, 3)
    expected = [f(*x) for f in DISTANCES[case["kind"]]]
    return max(relative(case[key], e) for key, e in zip(["d2", "grad", "hess"], expected))


def barrier(case):
    d2, reach = case["d2"], case["dhat"] ** 2
    expected = [
        ipctk.barrier(d2, reach),
        ipctk.barrier_first_derivative(d2, reach),
        ipctk.barrier_second_derivative(d2, reach),
    ]
    return max(relative(case[key], e) for key, e in zip(["b", "b1", "b2"], expected))


def friction(case):
    y, eps = case["y"], case["eps"]
    expected = [ipctk.smooth_friction_f0(y, eps), ipctk.smooth_friction_f1(y, eps)]
    return max(relative(case[key], e) for key, e in zip(["f0", "f1"], expected))


def ccd(case):
    """How much later we stop than the first contact, as a share of the move."""
    before, after = (np.array(case[key]).reshape(-1, 3) for key in ["x0", "x1"])
    exact = ipctk.TightInclusionCCD(conservative_rescaling=1.0)
    search = exact.point_triangle_ccd if case["kind"] == "pt" else exact.edge_edge_ccd
    hit, time = search(*before, *after)
    ours = 1.0 if case["toi"] is None else case["toi"]
    return max(0.0, ours - time) if hit else 0.0


def compare(name, measure, limit, program):
    answer = subprocess.run([*program, name], check=True, capture_output=True, text=True).stdout
    errors = [measure(json.loads(line)) for line in answer.splitlines() if line]
    worst = max(errors, default=float("inf"))
    passed = worst <= limit
    print(f"{'pass' if passed else 'FAIL'}  {name}: {len(errors)} cases, largest difference {worst:.1e} (at most {limit:.0e})")
    return passed


def read_vtu(path):
    """Vertices and boundary triangles of a frame."""
    data = open(path, "rb").read()
    start = data.index(b"_", data.index(b"<AppendedData")) + 1
    kinds = {"Float64": np.float64, "Float32": np.float32, "Int32": np.int32, "UInt32": np.uint32, "UInt8": np.uint8}

    def array(name):
        tag = re.search(rb'<DataArray type="(\w+)" Name="' + name + rb'"[^>]*offset="(\d+)"', data)
        at = start + int(tag.group(2))
        size = int(np.frombuffer(data, np.uint64, 1, at)[0])
        kind = np.dtype(kinds[tag.group(1).decode()])
        return np.frombuffer(data, kind, size // kind.itemsize, at + 8)

    vertices = array(b"position").reshape(-1, 3)
    cells = np.split(array(b"connectivity"), array(b"offsets")[:-1])
    faces, shells = {}, []
    for cell in cells:
        if len(cell) == 3:
            shells.append(cell)
        if len(cell) == 4:
            a, b, c, d = cell
            for face in [(a, c, b), (a, b, d), (b, c, d), (a, d, c)]:
                key = tuple(sorted(face))
                faces[key] = None if key in faces else face
    triangles = [face for face in faces.values() if face is not None] + shells
    return vertices, np.array(triangles, np.int32).reshape(-1, 3)


def frame(path):
    vertices, triangles = read_vtu(path)
    mesh = ipctk.CollisionMesh(vertices, ipctk.edges(triangles), triangles)
    meets = ipctk.has_intersections(mesh, vertices)
    print(f"{'FAIL' if meets else 'pass'}  {path}: {'intersects' if meets else 'nothing intersects'}")
    return not meets


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("frames", nargs="*", help=".vtu files of a run")
    parser.add_argument("--oracle", help="the built example `oracle`")
    arguments = parser.parse_args()
    cargo = ["cargo", "run", "--quiet", "--release", "-p", "splashdown-solids", "--example", "oracle", "--"]
    program = [arguments.oracle] if arguments.oracle else cargo
    ipctk.set_logger_level(ipctk.LoggerLevel.error)
    print(f"ipctk {ipctk.__version__}")
    passed = [
        compare("pairs", pairs, TOLERANCE, program),
        compare("barrier", barrier, TOLERANCE, program),
        compare("friction", friction, TOLERANCE, program),
        compare("ccd", ccd, 0.0, program),
    ]
    passed += [frame(path) for path in arguments.frames]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
