"""Seconds to 500 effective draws of the slowest parameter: PyMC (nutpie, default settings) and package joint, in turns.

Run in this folder: python beside.py
The model and the data are the Poisson case of reference.py and reference.json. PyMC's seconds are from the model to the
draws, compilation included, scaled to 500 effective draws of the parameter that has fewest. The seconds of package
joint are those of BenchmarkDraws, which makes 500 independent draws from the model on. Processor seconds are beside
them, because another program on the machine changes the wall time.
"""

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

import arviz
import nutpie

source = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "reference.py")).read()
exec(source.split("out = {}")[0])  # the model
y = json.load(open("reference.json"))["poisson"]["y"]
here = os.path.dirname(os.path.abspath(__file__))


def used(who):
    u = resource.getrusage(who)
    return u.ru_utime + u.ru_stime


binary = os.path.join(tempfile.mkdtemp(), "joint.test")
subprocess.run(["go", "test", "-c", "-o", binary, "."], cwd=os.path.join(here, ".."), check=True)
for turn in range(int(sys.argv[1]) if len(sys.argv) > 1 else 2):
    cpu, start = used(resource.RUSAGE_SELF), time.time()
    trace = nutpie.sample(nutpie.compile_pymc_model(model("poisson", y)), draws=1000, tune=1000, chains=4,
                          seed=1 + turn, progress_bar=False)
    wall, cpu = time.time() - start, used(resource.RUSAGE_SELF) - cpu
    ess = arviz.ess(trace, var_names=["log_length", "log_sd"])
    least = min(float(ess[v]) for v in ess)
    print(f"PyMC: {wall:.1f} s, {cpu:.1f} s of processors, {least:.0f} effective draws; for 500 draws "
          f"{500 / least * wall:.1f} s, {500 / least * cpu:.1f} s of processors", flush=True)
    cpu, start = used(resource.RUSAGE_CHILDREN), time.time()
    text = subprocess.run([binary, "-test.run", "xxx", "-test.bench", "Draws$", "-test.benchtime", "2x"],
                          cwd=os.path.join(here, ".."), capture_output=True, text=True, check=True).stdout
    cpu, wall = used(resource.RUSAGE_CHILDREN) - cpu, time.time() - start
    each = float(re.search(r"(\d+) ns/op", text).group(1)) / 1e9
    print(f"joint: {each:.2f} s for 500 draws; {cpu / 3:.2f} s of processors (three runs, the start of the program "
          f"included); load {os.getloadavg()[0]:.1f}", flush=True)
