"""Prints diagnostics.json: diagnostics by ArviZ of chains that any language can make.

pip install arviz==0.23.4 numpy==2.4.6; python diagnostics.py > diagnostics.json
"""
import json

import arviz
import numpy as np


def chains(phi, shift, scale, count, draws):
    """AR(1) chains with noise from sums of 12 uniforms of a linear congruential
    generator; shift and scale make the last chain differ."""
    out, state = np.zeros((count, draws)), 12345
    for c in range(count):
        x = 0.0
        for i in range(draws):
            noise = -6.0
            for _ in range(12):
                state = (1103515245 * state + 12345) % 2**31
                noise += state / 2**31
            x = phi * x + noise
            out[c, i] = x
    out[-1] = shift + scale * out[-1]
    return out


cases = {
    "independent": (0.0, 0.0, 1.0, 4, 1000),
    "sticky": (0.9, 0.0, 1.0, 4, 1000),
    "antithetic": (-0.6, 0.0, 1.0, 4, 1000),
    "one chain elsewhere": (0.3, 1.0, 1.0, 4, 500),
    "one chain wider": (0.3, 0.0, 3.0, 4, 500),
    "odd length": (0.5, 0.0, 1.0, 3, 101),
    "one chain": (0.5, 0.0, 1.0, 1, 400),
}
rows = []
for name, (phi, shift, scale, count, draws) in cases.items():
    x = chains(phi, shift, scale, count, draws)
    rows.append(dict(
        name=name, phi=phi, shift=shift, scale=scale, chains=count, draws=draws,
        last=x[-1, -1],
        rhat=float(arviz.rhat(x)) if count > 1 else None,
        ess_bulk=float(arviz.ess(x, method="bulk")),
        ess_tail=float(arviz.ess(x, method="tail")),
        bfmi=float(arviz.bfmi(x)[0]),
    ))
print(json.dumps(rows, indent=1))
