# Makes draws.npz; NumPy 2.4.6.
import numpy

x = numpy.stack([numpy.arange(120.0), numpy.arange(120.0) + 0.5], -1).reshape(2, 60, 2)
numpy.savez_compressed("draws.npz", draws=x.astype(numpy.float32), gradients=-numpy.floor(x), names=numpy.array(["α", "β[0]"]))
