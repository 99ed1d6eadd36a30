"""Writes counts.fits with Astropy 8.0.2: python fits.py counts.fits

An image of 3 rows of 4 pixels, unsigned 16-bit counts 1000 row + column + 40000 from the bottom, with a cube's third axis of one pixel.
"""

import sys

import numpy as np
from astropy.io import fits

counts = (1000 * np.arange(3)[:, None] + np.arange(4)[None, :] + 40000).astype(np.uint16)
unit = fits.PrimaryHDU(counts[None])
unit.header["BUNIT"] = ("count", "of photons")
unit.header["OBJECT"] = "a name that is so long that it goes on in another card, which the standard calls CONTINUE and has for texts"
unit.writeto(sys.argv[1], overwrite=True)
