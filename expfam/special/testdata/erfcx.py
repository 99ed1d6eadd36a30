"""Prints the Chebyshev series of (1+2x) exp(x²) erfc(x) in y = (x−4)/(x+4), for
special/erfcx.go. Needs mpmath."""
from mpmath import mp, mpf, cos, erfc, exp, nstr, pi, sqrt

mp.dps = 60
POINTS, TERMS = 200, 25


def f(y):
    x = 4 * (1 + y) / (1 - y)
    if x > 200:  # the asymptotic series, to 1e-30
        scaled = (1 - 1 / (2 * x**2) + 3 / (4 * x**4) - 15 / (8 * x**6) + 105 / (16 * x**8)) / (x * sqrt(pi))
    else:
        scaled = exp(x * x) * erfc(x)
    return (1 + 2 * x) * scaled


angles = [pi * (k + mpf(1) / 2) / POINTS for k in range(POINTS)]
values = [f(cos(a)) for a in angles]
for j in range(TERMS):
    c = mpf(2 if j else 1) / POINTS * sum(v * cos(j * a) for v, a in zip(values, angles))
    print(nstr(c, 20))
