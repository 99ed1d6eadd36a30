"""Reference values of the special functions: python3 reference.py > reference.json
(mpmath 1.3.0, 60 digits)."""
import json
from mpmath import mp, mpf, loggamma, digamma, polygamma, log, log1p, expm1, exp, beta, erf, erfc

mp.dps = 60

def lgr(a, t): return loggamma(a + t) - loggamma(a) - t * log(a)

one = {
    "LogGamma": loggamma,
    "Digamma": digamma,
    "Trigamma": lambda x: polygamma(1, x),
    "LogGammaStirling": lambda a: loggamma(a) - a * log(a) + a,
    "DigammaMinusLog": lambda a: digamma(a) - log(a),
    "TrigammaMinusInverse": lambda a: polygamma(1, a) - 1 / a,
    "Softplus": lambda x: log1p(exp(x)),
    "Sigmoid": lambda x: 1 / (1 + exp(-x)),
    "Log1p": log1p,
    "Log1pMx": lambda w: log1p(w) - w,
    "Expm1": expm1,
    "ExpM1Mx": lambda d: expm1(d) - d,
    "Erf": erf,
    "Erfcx": lambda x: erfc(x) * exp(x * x) if x < 10**4 else 1 / (x * mp.sqrt(mp.pi)) * (1 - 1 / (2 * x * x) + 3 / (4 * x**4)),
}
two = {
    "LogGammaRatio": lgr,
    "DigammaRatio": lambda a, t: digamma(a + t) - digamma(a) - t / a,
    "DigammaDifference": lambda a, t: digamma(a + t) - digamma(a),
    "TrigammaDifference": lambda a, t: polygamma(1, a + t) - polygamma(1, a),
}
# Dyadic numbers, so that float32 and float64 mean the same argument.
def dyadic(x):
    x = mpf(x); k = 20 - int(mp.floor(mp.log(abs(x), 2))); return mp.nint(x * mpf(2) ** k) / mpf(2) ** k
positive = [dyadic(x) for x in ["1e-6", "1e-3", ".1", ".4999", ".5", ".9", ".999", "1", "1.001", "1.3", "1.46163",
            "1.5", "1.9", "2", "2.01", "2.49", "2.6", "2.99", "3", "3.3", "5", "7.9", "8.1", "9.9", "10.1", "17", "130", "1e3", "2e4", "1e5", "1e7"]]
small = [dyadic(s + x) for s in ("-", "") for x in ["1e-8", "1e-5", "1e-3", ".05", ".2", ".39", ".45", ".7", ".95"]] + [mpf(1), mpf(2), mpf(5), mpf(40)]
any_ = small + [mpf(-40), mpf(-5)]
concentration = [dyadic(x) for x in ["1e-3", ".3", "1", "4", "7.9", "8", "8.1", "30", "1e3", "1e5", "1e7"]]
count = [mpf(0), mpf(1) / 2, mpf(1), mpf(3), mpf(40), mpf(1000), mpf(100000)]
out = {}
for name, f in one.items():
    xs = {"Softplus": any_, "Sigmoid": any_ + [mpf(-20), mpf(-12)], "Expm1": any_, "ExpM1Mx": any_, "Log1p": small, "Log1pMx": small, "Erf": any_}.get(name, positive)
    out[name] = [[float(x), float(f(x))] for x in xs]
for name, f in two.items():
    out[name] = [[float(a), float(t), float(f(a, t))] for a in concentration for t in count]
print("{\n" + ",\n".join(' "%s": [\n%s\n ]' % (k, ",\n".join("  " + json.dumps(r) for r in v)) for k, v in out.items()) + "\n}")
