"""Says how far draws are from the posterior of their gradients, by the program `expfam certify`.

    from expfam.certify import certify
    print(certify(idata, model.compile_dlogp(), [v.name for v in model.value_vars]))

`python -m expfam.certify draws.npz` is the program itself. Only numpy is needed.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile

import numpy as np


def certify(idata, gradient, variables, **options):
    """Certifies the posterior of an InferenceData.

    gradient takes a dict of unconstrained values by the names in variables, and returns the gradient of the log
    density (with the Jacobian of the transformation): one flat array in that order, or a dict. idata.posterior has to
    have these variables, (chain, draw, ...)."""
    posterior = idata.posterior if hasattr(idata, "posterior") else idata
    draws = {name: np.asarray(posterior[name]) for name in variables}
    chains, each = next(iter(draws.values())).shape[:2]
    rows = []
    for c in range(chains):
        for i in range(each):
            g = gradient({name: v[c, i] for name, v in draws.items()})
            if isinstance(g, dict):
                g = np.concatenate([np.ravel(g[name]) for name in variables])
            rows.append(np.asarray(g, float))
    flat, names = flatten(draws)
    return compare(flat, np.reshape(rows, flat.shape), names, **options)


def compare(draws, gradients, names=None, **options):
    """Certifies draws with the gradients at them: arrays (chain, draw, parameter), (draw, parameter) if independent, or
    dicts of arrays (chain, draw, ...). Options are those of the program: rate=.01, figure="certificate.html"."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "draws.npz")
        save(path, draws, gradients, names)
        flags = [f"-{name}={value}" for name, value in options.items()]
        found = run(["-json", *flags, path], capture_output=True)
        if found.returncode not in (0, 3, 4):
            raise RuntimeError(found.stderr.strip())
        quiet = [f for f in flags if not f.startswith("-figure")]
        return Certificate(json.loads(found.stdout), run([*quiet, path], capture_output=True).stdout)


class Certificate(dict):
    """What `expfam certify -json` says; printed, it is the text of the program."""

    def __init__(self, content, text):
        super().__init__(content)
        self.text = text

    def __str__(self):
        return self.text

    __repr__ = __str__


def save(path, draws, gradients, names=None):
    """Writes the file that the program reads."""
    if isinstance(draws, dict):
        gradients, _ = flatten({name: gradients[name] for name in draws})
        draws, names = flatten(draws)
    arrays = {"draws": np.asarray(draws, float), "gradients": np.asarray(gradients, float)}
    if names is not None:
        arrays["names"] = np.asarray(names, str)
    np.savez(path, **arrays)


def flatten(variables):
    """Returns a dict of arrays (chain, draw, ...) as one array (chain, draw, parameter), with the parameters' names."""
    parts, names = [], []
    for name, values in variables.items():
        values = np.asarray(values)
        parts.append(values.reshape(*values.shape[:2], -1))
        names += [name + ("[" + ",".join(map(str, index)) + "]" if index else "")
                  for index in np.ndindex(values.shape[2:])]
    return np.concatenate(parts, -1), names


def run(arguments, **options):
    beside = os.path.join(sysconfig.get_path("scripts"), "expfam")
    program = os.environ.get("EXPFAM_PROGRAM") or (beside if os.path.exists(beside) else shutil.which("expfam"))
    if program is None:
        raise RuntimeError("the program expfam is not on PATH: pip install expfam")
    return subprocess.run([program, "certify", *arguments], text=True, **options)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]).returncode)
