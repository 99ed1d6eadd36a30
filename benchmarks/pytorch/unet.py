"""The U-Net of package nn in PyTorch, for a comparison of seconds: `go run ./benchmarks/pytorch`.

The program reads a file of weights and inputs that the Go program wrote, answers with its results, and then does
one piece of work for every line of its input ("sampling" or "training") and prints the seconds that it took.
"""
import json
import math
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.numpy import load_file


class UNet:
    """Residual blocks at four resolutions, with Wiener's filter beside them; see nn.UNet."""

    def __init__(self, weights, side, channels, multiples):
        self.w, self.side, self.channels, self.multiples = weights, side, channels, multiples
        self.basis, self.hat, self.begin = modes(weights["spectrum"].numel(), side)
        self.spectrum = weights["spectrum"].detach().ravel()[None]

    def conv(self, name, x):
        kernel = self.w[name + ".w"]
        return F.conv2d(x, kernel, self.w[name + ".b"].ravel(), padding=kernel.shape[-1] // 2)

    def dense(self, name, x):
        return x @ self.w[name + ".w"] + self.w[name + ".b"]

    def block(self, name, x, e):
        level = lambda part: self.dense(f"{name}.{part}", e)[:, :, None, None]
        h = self.conv(name + ".conv0", F.silu(x)) * (1 + level("scale")) + level("offset")
        h = self.conv(name + ".conv1", F.silu(h))
        if name + ".skip.w" in self.w:
            x = self.conv(name + ".skip", x)
        return x + h

    def excess(self, coefficients, square):
        """The power of the coefficients beyond that of noise at each knot, in standard errors; see nn.UNet.Adaptive."""
        power = coefficients**2 * (1 + square) ** 2 / square - 1
        z = power.flatten(1) @ (self.hat / torch.sqrt(2 * (self.hat**2).sum(0) + 1e-3))
        return torch.asinh(z) / 3

    def __call__(self, x, log_sigma, log_noise):
        batch = x.shape[0]
        level = F.silu(self.dense("embed0", waves(log_sigma, self.w["embed0.w"].shape[0])))
        e = self.dense("embed1", level)
        estimate = x.reshape(batch, 1, self.side, self.side)
        square = torch.exp(2 * log_noise)[:, :, None, None]
        coefficients = self.basis.T @ estimate @ self.basis
        trust = 1 / (1 + torch.exp(2 * (log_noise - math.log(8))))
        knots = self.spectrum
        if "adapt0.w" in self.w:
            h = torch.cat([self.excess(coefficients, square), level], 1)
            h = F.silu(self.dense("adapt1", F.silu(self.dense("adapt0", h))))
            knots = knots + self.dense("adapt.spectrum", h) * trust
            e = e + self.dense("adapt.level", h)
        e = F.silu(e)
        power = (torch.exp(knots @ self.hat.T) * self.begin).reshape(-1, 1, self.side, self.side)
        gain = torch.sqrt(square * (1 + square)) * (power - 1) / (power + square)
        linear = self.basis @ (coefficients * gain) @ self.basis.T
        filtered = estimate + linear * torch.sqrt(square / (1 + square))
        h = self.conv("in", torch.cat([estimate, filtered], 1))
        kept = [h]
        for level in range(len(self.multiples)):
            h = self.block(f"down{level}.0", h, e)
            kept.append(h)
            if level < len(self.multiples) - 1:
                h = self.conv(f"down{level}.half", F.avg_pool2d(h, 2))
                kept.append(h)
        h = self.block("middle1", self.block("middle0", h, e), e)
        for level in reversed(range(len(self.multiples))):
            for b in range(2):
                h = self.block(f"up{level}.{b}", torch.cat([h, kept.pop()], 1), e)
            if level > 0:
                h = self.conv(f"up{level}.double", F.interpolate(h, scale_factor=2, mode="nearest"))
        h = F.silu(h)
        mean = self.conv("head0", h).reshape(batch, -1) + self.dense("gate", e) * x
        mean = mean * trust + linear.reshape(batch, -1)
        variance = self.conv("head1", h).reshape(batch, -1) + self.dense("head1.level", e)
        return mean, variance


def waves(u, n):
    """Sines and cosines of u with angular frequencies from .1 to 3."""
    angle = u * torch.tensor(np.geomspace(0.1, 3, n // 2), dtype=u.dtype)
    return torch.cat([torch.sin(angle), torch.cos(angle)], -1)


def modes(knots, n):
    """Modes of exp(-|i-j|/32), the weights of knots at the frequencies of their products, and the power there without them."""
    rho = math.exp(-1 / 32)
    inverse = (1 + rho * rho) * np.eye(n) - rho * (np.eye(n, k=1) + np.eye(n, k=-1))
    inverse[0, 0] = inverse[-1, -1] = 1
    values, basis = np.linalg.eigh(inverse)
    f = np.arccos(np.clip((1 + rho * rho - values) / (2 * rho), -1, 1)) / (2 * math.pi)
    f = np.hypot(f[:, None], f[None, :]).ravel()
    place = np.clip(-2 * np.log2(f) - 1, 0, knots - 1)
    hat = np.maximum(0, 1 - np.abs(place[:, None] - np.arange(knots)))
    return (torch.tensor(part, dtype=torch.float32) for part in (basis, hat, 0.02 / (f * f)))


def sampling(net, x, log_sigma, log_noise, products):
    """The heads, and so many products with the transposed Jacobian of the mean, each of the one before."""
    x = x.detach().requires_grad_(True)
    mean, variance = net(x, log_sigma, log_noise)
    v = x.detach()
    for _ in range(products):
        (v,) = torch.autograd.grad(mean, x, v, retain_graph=True)
    return mean.detach(), variance.detach(), v


def training(net, leaves, x, log_sigma, log_noise):
    """The gradients of all weights."""
    mean, variance = net(x, log_sigma, log_noise)
    loss = ((mean - x) ** 2).mean() + ((variance - x) ** 2).mean()
    return torch.autograd.grad(loss, leaves)


def main(folder):
    torch.set_num_threads(int(sys.argv[2]))
    arrays = {name: torch.tensor(value) for name, value in load_file(f"{folder}/in.safetensors").items()}
    config = json.load(open(f"{folder}/in.json"))
    x, log_sigma, log_noise = (arrays.pop("input." + name) for name in ("x", "logsigma", "lognoise"))
    net = UNet(arrays, config["Side"], config["Channels"], config["Multiples"])
    mean, variance, product = sampling(net, x, log_sigma, log_noise, config["Products"])
    for name, values in {"mean": mean, "variance": variance, "product": product}.items():
        values.numpy().astype("<f4").tofile(f"{folder}/{name}.f32")
    leaves = [w.requires_grad_(True) for name, w in arrays.items() if name != "spectrum"]
    held = UNet({name: w.detach() for name, w in arrays.items()}, config["Side"], config["Channels"], config["Multiples"])
    print(torch.__version__, flush=True)
    for line in sys.stdin:
        start = time.perf_counter()
        if line.strip() == "sampling":
            sampling(held, x, log_sigma, log_noise, config["Products"])
        else:
            training(net, leaves, x, log_sigma, log_noise)
        print(time.perf_counter() - start, flush=True)


main(sys.argv[1])
