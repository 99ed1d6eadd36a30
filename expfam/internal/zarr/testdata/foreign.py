# Makes foreign.zarr; zarr-python 3.1.6.
import numpy
import zarr

root = zarr.open_group("foreign.zarr", mode="w")
a = root.create_array("g/a", shape=(3, 5), chunks=(2, 2), dtype="float32", dimension_names=["x", "y"])
a[:] = numpy.arange(15).reshape(3, 5)
b = root.create_array("g/b", shape=(5,), chunks=(2,), dtype="float64", fill_value=numpy.nan, compressors=[zarr.codecs.ZstdCodec(), zarr.codecs.Crc32cCodec()])
b[:2] = [1.5, -2]
names = root.create_array("g/names", shape=(3,), chunks=(2,), dtype=str)
names[:] = numpy.array(["mu", "é", ""], dtype=object)
root.create_array("g/gzip", shape=(2,), dtype="float64", compressors=zarr.codecs.GzipCodec())[:] = 1
