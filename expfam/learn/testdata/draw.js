// Draws from the ONNX model of a prior by its card alone: node draw.js MODEL NOISE STEPS.
//
// NOISE is a JSON list of standard normal numbers; the card is MODEL.json. Prints the draw as a JSON list. Needs the
// package onnxruntime-web, in a folder node_modules that NODE_PATH names.
const fs = require("fs");
const ort = require("onnxruntime-web");

async function draw(model, noise, steps) {
  const session = await ort.InferenceSession.create(fs.readFileSync(model));
  const card = JSON.parse(fs.readFileSync(model + ".json"));
  const [low, high] = card.sigma;
  const tensor = (values, shape) => new ort.Tensor("float32", Float32Array.from(values), shape);
  let x = noise, mean;
  for (let i = 0; i < steps; i++) {
    const sigma = (k) => high * Math.pow(low / high, k / (steps - 1));
    const [s, t] = [sigma(i), sigma(i + 1)];
    const [a, v] = [1 / Math.sqrt(1 + s * s), (s * s) / (1 + s * s)];
    const [b, w] = [1 / Math.sqrt(1 + t * t), (t * t) / (1 + t * t)];
    const values = [tensor(x, card.inputs[0].shape), tensor([a], [1, 1]), tensor([v], [1, 1])];
    const inputs = Object.fromEntries(card.inputs.map((port, k) => [port.name, values[k]]));
    mean = Array.from((await session.run(inputs))[card.outputs[0].name].data);
    x = x.map((value, j) => Math.fround(b * mean[j] + Math.sqrt(w / v) * (value - a * mean[j])));
  }
  return mean;
}

const [model, noise, steps] = process.argv.slice(2);
draw(model, JSON.parse(fs.readFileSync(noise)), Number(steps)).then((mean) => console.log(JSON.stringify(mean)));
