#!/usr/bin/env python3
"""Runs the incline, the mass ratio, the stack and the pile of `splashdown validate bullet` in Bullet.

    pip install pybullet
    python crates/splashdown-validate/scripts/bench_bullet.py incline mass-ratio box-stack
    python crates/splashdown-validate/scripts/bench_bullet.py pile --mesh lumpy.obj --size 0.4 --count 500

Sizes, masses, friction, time step (1 ms; the pile 1/240 s, Bullet's default) and duration are those of
the cases of the same names; y is up. Prints one JSON object per scene. Lengths are in m; `iterations` is
Bullet's number of solver iterations, 50 by default.
"""
import argparse
import json
import math
import os
import sys
import tempfile
import time

import pybullet as p

G = 9.81


class World:
    """A new world with a floor whose surface is at y = 0."""

    def __init__(self, dt, iterations, gravity=(0, -G, 0), friction=0.5):
        p.connect(p.DIRECT)
        p.setGravity(*gravity)
        p.setPhysicsEngineParameter(fixedTimeStep=dt, numSolverIterations=iterations)
        self.dt = dt
        self.floor = self.box([20, 1, 20], 0, [0, -1, 0], friction)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        p.disconnect()

    def box(self, half, mass, place, friction=0.5):
        shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=half)
        body = p.createMultiBody(mass, shape, -1, place)
        self.surface(body, friction)
        return body

    def surface(self, body, friction):
        p.changeDynamics(body, -1, lateralFriction=friction, restitution=0,
                         linearDamping=0, angularDamping=0)

    def run(self, seconds, each=lambda t: None):
        """Steps; the mean time of a step in ms."""
        steps = round(seconds / self.dt)
        start = time.perf_counter()
        for k in range(steps):
            p.stepSimulation()
            if each((k + 1) * self.dt):
                break
        return 1e3 * (time.perf_counter() - start) / steps


def place(body):
    return p.getBasePositionAndOrientation(body)[0]


def incline(iterations):
    """Friction lowered from 1 by 0.2/s: where a box on 30° starts to slide, and how it creeps before."""
    angle, lowered, fast = math.radians(30), 0.2, 0.02
    gravity = (G * math.sin(angle), -G * math.cos(angle), 0)
    with World(1e-3, iterations, gravity, 1.0) as world:
        # Bullet multiplies the two coefficients: the floor's is 1.
        box = world.box([0.1, 0.1, 0.1], 8.0, [0, 0.1, 0], 1.0)
        found = {"onset": None, "early": None, "late": None}

        def each(t):
            mu = 1 - lowered * t
            p.changeDynamics(box, -1, lateralFriction=mu)
            x, speed = place(box)[0], p.getBaseVelocity(box)[0][0]
            if t < 0.2:
                found["early"] = x
            if mu > 0.6:
                found["late"] = x
            if speed > fast:
                found["onset"] = mu + lowered * math.sqrt(2 * fast / (G * math.cos(angle) * lowered))
                return True

        ms = world.run(3.0, each)
    return {"onset": found["onset"], "creep": (found["late"] - found["early"]) / 1.8, "ms": ms}


def pile_up(edge, masses, iterations):
    """Cubes on each other for 1 s: deepest overlap, error of the height of the top, speed."""
    gap = 0.001
    with World(1e-3, iterations) as world:
        boxes = [world.box([edge / 2] * 3, mass, [0, (k + 0.5) * edge + gap * (k + 1), 0])
                 for k, mass in enumerate(masses)]
        worst = [0.0]

        def each(_):
            heights = [-edge / 2] + [place(box)[1] for box in boxes]
            gaps = (upper - lower - edge for lower, upper in zip(heights, heights[1:]))
            worst[0] = max(worst[0], -min(gaps))

        ms = world.run(1.0, each)
        top = place(boxes[-1])[1]
        speed = max(math.dist(p.getBaseVelocity(box)[0], (0, 0, 0)) for box in boxes)
    return {"worst": worst[0], "sunk": top - (len(masses) - 0.5) * edge, "speed": speed, "ms": ms}


def mass_ratio(iterations):
    return pile_up(0.2, [8.0, 8000.0], iterations)


def box_stack(iterations):
    return pile_up(0.12, [1.728] * 8, iterations)


def pile(mesh, size, count, iterations):
    """Lumpy bodies fall into a box: convex decomposition by V-HACD, then the time of a step."""
    with tempfile.TemporaryDirectory() as folder, World(1 / 240, iterations) as world:
        parts = os.path.join(folder, "parts.obj")
        start = time.process_time()
        # V-HACD talks on the standard output, which is for results.
        sys.stdout.flush()
        saved = os.dup(1)
        os.dup2(2, 1)
        try:
            p.vhacd(mesh, parts, os.path.join(folder, "log"), resolution=100000)
        finally:
            sys.stdout.flush()
            os.dup2(saved, 1)
        decomposition = time.process_time() - start
        with open(parts) as file:
            hulls = sum(line.startswith("o ") for line in file)
        shape = p.createCollisionShape(p.GEOM_MESH, fileName=parts)
        half = 3.6 * size
        for x, z, hx, hz in ((-1, 0, 0.1, half), (1, 0, 0.1, half), (0, -1, half, 0.1), (0, 1, half, 0.1)):
            world.box([hx, 20, hz], 0, [x * (half + 0.1), 20, z * (half + 0.1)])
        bodies = []
        for k in range(count):
            at = [(k % 7 - 3) * size, (0.55 + k // 49) * size, (k // 7 % 7 - 3) * size]
            turn = p.getQuaternionFromEuler([1.3 * k, 2.1 * k, 0.7 * k])
            body = p.createMultiBody(1.0, shape, -1, at, turn)
            world.surface(body, 0.5)
            bodies.append(body)
        ms = world.run(1.0)
        contacts = p.getContactPoints()
        deepest = max((-contact[8] for contact in contacts), default=0.0)
    return {"ms": ms, "hulls": hulls, "decomposition": decomposition, "contacts": len(contacts),
            "worst": deepest}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    scenes = {"incline": incline, "mass-ratio": mass_ratio, "box-stack": box_stack, "pile": pile}
    parser.add_argument("scenes", nargs="+", choices=scenes)
    parser.add_argument("--iterations", type=int, default=50)
    parser.add_argument("--mesh")
    parser.add_argument("--size", type=float, default=0.4)
    parser.add_argument("--count", type=int, default=500)
    args = parser.parse_args()
    for name in args.scenes:
        if name == "pile":
            result = pile(args.mesh, args.size, args.count, args.iterations)
        else:
            result = scenes[name](args.iterations)
        print(json.dumps({"scene": name, "iterations": args.iterations, **result}), flush=True)


if __name__ == "__main__":
    main()
