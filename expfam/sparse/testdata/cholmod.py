"""Makes cholmod.json: log determinants, solutions and variances by CHOLMOD.

pip install cvxopt==1.3.3 (which contains CHOLMOD of SuiteSparse), then python cholmod.py >cholmod.json
"""

import json
import math

from cvxopt import cholmod, matrix, spmatrix


def lattice(rows, cols, width):
    for r in range(rows):
        for c in range(cols):
            for dr in range(width + 1):
                for dc in range(-width + dr, width - dr + 1):
                    if r + dr < rows and 0 <= c + dc < cols:
                        i, j = r * cols + c, (r + dr) * cols + c + dc
                        if i != j:
                            yield max(i, j), min(i, j)


out = []
for name, rows, cols, width in [
    ("five points", 30, 30, 1),
    ("squared", 25, 40, 2),
    ("line", 1, 500, 1),
]:
    n = rows * cols
    entries = {(i, i): 0.01 for i in range(n)}
    for i, j in set(lattice(rows, cols, width)):
        v = -1 / (1 + (i + j) % 5)
        entries[i, j] = v
        entries[i, i] -= v
        entries[j, j] -= v
    keys = sorted(entries)
    a = spmatrix([entries[k] for k in keys], [k[0] for k in keys], [k[1] for k in keys], (n, n))
    cholmod.options["supernodal"] = 2
    factor = cholmod.symbolic(a)
    cholmod.numeric(a, factor)
    logdet = 2 * sum(math.log(v) for v in cholmod.diag(factor))
    x = matrix([float(i % 7 - 3) for i in range(n)], (n, 1))
    cholmod.solve(factor, x)
    variances = []
    for i in range(20):
        e = matrix(0.0, (n, 1))
        e[i] = 1
        cholmod.solve(factor, e)
        variances.append(e[i])
    out.append(
        {"Name": name, "Rows": rows, "Cols": cols, "Width": width, "LogDet": logdet, "Solution": list(x[:20]),
         "InverseDiagonal": variances}
    )
print(json.dumps(out, indent=1))
