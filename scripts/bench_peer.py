#!/usr/bin/env python3
"""Times SPlisHSPlasH (pip install pysplishsplash) on the scenes of `splashdown bench`.

    python scripts/bench_peer.py --n 46  --threads 2     # 97 336 particles, as dam-break-100k
    python scripts/bench_peer.py --n 100 --threads 2     # a million, as dam-break-1m
    python scripts/bench_peer.py --objects 0.5           # its scene DamBreakWithObjects up to that time,
                                                         # as scripts/dam-break-with-objects.toml
    python scripts/bench_peer.py --bell 0.3              # its water bell with implicit surface tension (Jeske et al.
                                                         # 2023) up to that time, as scripts/water-bell.toml
    python scripts/bench_peer.py --bell 0.6 --density-error 5e-4 --turns 3 --against target/release/splashdown
                                                         # both in turn: seconds per simulated second, ratios and their median

n³ particles of spacing 1/n m stand as a cube at one end of a closed tank of 3 × 2 × 1 m; DFSPH, mean
density error 0.01 %. Prints one JSON object with the names that `splashdown bench --json` uses. Needs
the system library libGL.so.1, which the wheel crashes without.
"""
import argparse
import ctypes
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time


def scene(n, boundary, density_error):
    d = 1.0 / n
    end = (n + 1) * d  # its first layer of centres is one spacing off the walls
    solver = {"minIterations": 2, "maxIterations": 100, "maxError": 100 * density_error,
              "maxIterationsV": 100, "maxErrorV": 0.1, "enableDivergenceSolver": True}
    walls = {"geometryFile": "../models/UnitBox.obj",
             "translation": [(3 + d) / 2, (2 + d) / 2, (1 + d) / 2], "scale": [3 + d, 2 + d, 1 + d],
             "rotationAxis": [1, 0, 0], "rotationAngle": 0, "isDynamic": False, "isWall": True,
             "mapInvert": True, "mapThickness": 0.0,
             "mapResolution": [round(x / (2 * d)) for x in (3.0, 2.0, 1.0)]}
    return {"Configuration": {"particleRadius": d / 2, "simulationMethod": 4, "timeStepSize": 0.001,
                              "gravitation": [0, -9.81, 0], "cflMethod": 1, "cflFactor": 1,
                              "cflMaxTimeStepSize": 0.005, "pause": False,
                              "boundaryHandlingMethod": {"akinci": 0, "maps": 2}[boundary],
                              "DFSPH": solver},
            "Materials": [{"id": "Fluid", "density0": 1000, "viscosityMethod": 1,
                           "Standard viscosity": {"viscosity": 0.01}}],
            "RigidBodies": [walls],
            "FluidBlocks": [{"denseMode": 0, "start": [0, 0, 0], "end": [end, end, end]}]}


def with_objects(density_error, finer):
    with open(os.path.join(data("Scenes"), "DamBreakWithObjects.json")) as file:
        made = json.load(file)
    made["Configuration"]["pause"] = False
    made["Configuration"]["particleRadius"] /= finer
    made["Configuration"]["DFSPH"]["maxError"] = 100 * density_error
    return made


def water_bell(density_error):
    with open(os.path.join(data("Scenes"), "SurfaceTension_WaterBell_JWL+23.json")) as file:
        made = json.load(file)
    made["Configuration"].update({"pause": False, "pauseAt": -1.0, "stopAt": 1e3})
    made["Configuration"]["DFSPH"]["maxError"] = 100 * density_error
    return made


def data(kind):
    for base in (os.path.dirname(sys.executable), os.path.join(sys.prefix, "bin")):
        path = os.path.join(base, "data", kind)
        if os.path.isdir(path):
            return path
    sys.exit("the data of the wheel was not found next to the interpreter")


def in_turn(options):
    """Runs the peer's water bell and ours one after the other, so that both see the same machine."""
    here = os.path.dirname(os.path.abspath(__file__))
    peer = [sys.executable, os.path.abspath(__file__), "--bell", str(options.bell), "--threads",
            str(options.threads), "--density-error", str(options.density_error)]
    ratios = []
    for _ in range(options.turns):
        printed = subprocess.run(peer, capture_output=True, text=True, check=True).stdout.strip()
        theirs = json.loads(printed.splitlines()[-1])["seconds_per_simulated_second"]
        with tempfile.TemporaryDirectory() as out:
            subprocess.run([options.against, "run", os.path.join(here, "water-bell.toml"), "--until", str(options.bell),
                            "--set", f"pressure.density_error={options.density_error}",
                            "--threads", str(options.threads), "--out", out, "--force"], capture_output=True, check=True)
            with open(os.path.join(out, "timing.json")) as file:
                ours = json.load(file)["sessions"][-1]["seconds"] / options.bell
        ratios.append(theirs / ours)
        print(json.dumps({"splashdown": ours, "SPlisHSPlasH": theirs, "ratio": ratios[-1]}), flush=True)
    print(json.dumps({"median_ratio": statistics.median(ratios)}))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=46)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--warm-up", type=int, default=5)
    parser.add_argument("--boundary", choices=["akinci", "maps"], default="akinci")
    parser.add_argument("--density-error", type=float, default=1e-4)
    parser.add_argument("--objects", type=float, metavar="SECONDS")
    parser.add_argument("--finer", type=float, default=1.0, help="of --objects, so many times smaller particles")
    parser.add_argument("--bell", type=float, metavar="SECONDS")
    parser.add_argument("--against", metavar="PROGRAM", help="splashdown, to run --bell with both in turn")
    parser.add_argument("--turns", type=int, default=1, help="of --against")
    options = parser.parse_args()
    if options.against:
        if not options.bell:
            parser.error("--against needs --bell")
        return in_turn(options)
    until = options.objects or options.bell
    if until:
        options.warm_up, options.steps = 1, 10 ** 9

    os.environ["OMP_NUM_THREADS"] = str(options.threads)  # read when the module is loaded
    ctypes.CDLL("libGL.so.1", mode=ctypes.RTLD_GLOBAL)
    import pysplishsplash as sph

    with tempfile.TemporaryDirectory() as work:
        os.mkdir(os.path.join(work, "scenes"))
        os.symlink(data("models"), os.path.join(work, "models"))
        path = os.path.join(work, "scenes", "dam.json")
        with open(path, "w") as file:
            json.dump(with_objects(options.density_error, options.finer) if options.objects
                      else water_bell(options.density_error) if options.bell
                      else scene(options.n, options.boundary, options.density_error), file)
        base = sph.Exec.SimulatorBase()
        base.init(useGui=False, sceneFile=path, outputDir=os.path.join(work, "out"), stopAt=1e3,
                  useCache=False, initialPause=False)
        base.initSimulation()
        timing, counting = sph.Utilities.Timing, sph.Utilities.Counting
        timing.m_dontPrintTimes = True
        done = {"steps": 0, "start": 0.0, "end": 0.0}

        def after_step():
            done["steps"] += 1
            done["end"] = time.perf_counter()
            if done["steps"] == options.warm_up:
                timing.reset()
                counting.reset()
                done["start"] = time.perf_counter()
            done["time"] = sph.TimeManager.getCurrent().getTime()
            if done["steps"] == options.warm_up + options.steps or until and done["time"] >= until:
                base.setValueFloat(base.STOP_AT, 1e-30)

        base.setTimeStepCB(after_step)
        base.runSimulation()

    simulation = sph.Simulation.getCurrent()
    fluid = simulation.getFluidModel(0).numActiveParticles()
    total = {}
    for value in dict(timing.m_averageTimes).values():  # milliseconds
        total[value.name] = total.get(value.name, 0.0) + value.totalTime
    counts = {k: v.sum / max(1, v.numberOfCalls) for k, v in dict(counting.m_averageCounts).items()}
    iterations = counts.get("DFSPH - iterations", 0.0) + counts.get("DFSPH - iterationsV", 0.0)
    steps = done["steps"] - options.warm_up
    places = simulation.getFluidModel(0)
    reach = max((sum(x * x for x in (p[0], p[2])) ** 0.5 for p in map(places.getPosition, range(fluid))), default=0.0)
    densities = [places.getDensity(i) / places.getDensity0() for i in range(fluid)]
    compression = sum(max(0.0, density - 1.0) for density in densities) / max(fluid, 1)
    per_particle = 1e6 / (fluid * steps)
    solves = total.get("pressureSolve", 0.0) + total.get("divergenceSolve", 0.0)
    print(json.dumps({
        "peer": "SPlisHSPlasH", "boundary": "maps" if until else options.boundary, "threads": options.threads,
        "fluid": fluid, "steps": steps, "farthest_from_axis": float(reach), "mean_compression": compression, "iterations": iterations,
        "ns_per_particle_and_iteration": solves * per_particle / max(iterations, 1e-9),
        "ns_per_particle_neighbours": total.get("neighborhood_search", 0.0) * per_particle,
        "ns_per_particle_step": (done["end"] - done["start"]) * 1e9 / (fluid * steps),
        "seconds_per_simulated_second": (done["end"] - done["start"]) / done["time"],
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }), flush=True)
    os._exit(0)  # the library crashes when it is taken down


if __name__ == "__main__":
    main()
