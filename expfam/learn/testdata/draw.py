"""Draws from the ONNX model of a prior by its card alone: python draw.py MODEL NOISE STEPS.

NOISE is a JSON list of standard normal numbers. Prints the draw as a JSON list. Needs numpy and onnxruntime.
"""
import json
import sys

import numpy
import onnxruntime

session = onnxruntime.InferenceSession(sys.argv[1])
card = json.loads(session.get_modelmeta().custom_metadata_map["expfam"])
x = numpy.array(json.load(open(sys.argv[2])), dtype=numpy.float32).reshape(card["inputs"][0]["shape"])
names = [port["name"] for port in card["inputs"]]
low, high = card["sigma"]
sigmas = numpy.exp(numpy.linspace(numpy.log(high), numpy.log(low), int(sys.argv[3])))
for i, s in enumerate(sigmas):
    a, v = 1 / numpy.sqrt(1 + s * s), s * s / (1 + s * s)
    values = [x, numpy.float32([[a]]), numpy.float32([[v]])]
    mean = session.run([card["outputs"][0]["name"]], dict(zip(names, values)))[0]
    if i + 1 == len(sigmas):
        break
    t = sigmas[i + 1]
    b, w = 1 / numpy.sqrt(1 + t * t), t * t / (1 + t * t)
    x = (b * mean + numpy.sqrt(w / v) * (x - a * mean)).astype(numpy.float32)
print(json.dumps(mean.ravel().astype(float).tolist()))
