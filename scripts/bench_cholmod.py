#!/usr/bin/env python3
"""Times CHOLMOD on a matrix that `splashdown bench SCENE --matrix FILE` wrote.

    pip install cvxopt numpy
    target/release/splashdown bench soft-stack --threads 1 --matrix stack.mtx
    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python scripts/bench_cholmod.py stack.mtx

CVXOPT's wheels contain CHOLMOD with an AMD ordering and OpenBLAS. Prints the analysis, and the fastest of some
numerical factorisations with a solution, in processor time: that is what a Newton iteration needs.
"""
import sys
import time

try:
    import cvxopt
    import cvxopt.cholmod as cholmod
    import numpy as np
except ImportError as error:
    print(f"skipped: {error} (pip install cvxopt numpy)")
    sys.exit(0)


def timed(work):
    start, wall = time.process_time(), time.perf_counter()
    result = work()
    return 1e3 * (time.process_time() - start), 1e3 * (time.perf_counter() - wall), result


def main(path, repetitions):
    with open(path) as file:
        next(file)
        size = int(next(file).split()[0])
        entries = np.loadtxt(file)
    rows, columns = (cvxopt.matrix(entries[:, k].astype(int) - 1) for k in [0, 1])
    matrix = cvxopt.spmatrix(cvxopt.matrix(entries[:, 2]), rows, columns, (size, size))
    cholmod.options["supernodal"] = 2
    analysis, _, factor = timed(lambda: cholmod.symbolic(matrix, uplo="L"))

    def solve():
        cholmod.numeric(matrix, factor)
        x = cvxopt.matrix(1.0, (size, 1))
        cholmod.solve(factor, x)

    times = [timed(solve)[:2] for _ in range(repetitions)]
    print(f"{size} unknowns, {len(entries)} entries")
    print(f"CHOLMOD analysis {analysis:.0f} ms; factorisation and solution {min(t[0] for t in times):.0f} ms "
          f"of processor time, {min(t[1] for t in times):.0f} ms by the clock")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5)
