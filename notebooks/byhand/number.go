package byhand

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/notebooks/microscope"
)

// Number is one unknown number x₀. All that a diffusion needs to know of it is a formula, because the prior is a
// mixture of normal densities.
type Number struct{ Prior microscope.Mixture }

// Draw returns draws of x₀, and of which part of the prior each is.
func (n Number) Draw(count int, seed uint64) (x []float64, part []int) {
	rng := expfam.Stream(seed, "number")
	x, part = make([]float64, count), make([]int, count)
	var total float64
	for _, c := range n.Prior {
		total += c.Weight
	}
	for i := range x {
		for u := total * rng.Float64(); part[i] < len(n.Prior)-1 && u > n.Prior[part[i]].Weight; part[i]++ {
			u -= n.Prior[part[i]].Weight
		}
		c := n.Prior[part[i]]
		x[i] = c.Mean + c.SD*rng.NormFloat64()
	}
	return x, part
}

// Noisy returns the density of x_t = √α x₀ + √v z, which is a mixture again.
func (n Number) Noisy(t float64) microscope.Mixture {
	l := schedule.Level(t)
	out := make(microscope.Mixture, len(n.Prior))
	for k, c := range n.Prior {
		out[k] = microscope.Component{Weight: c.Weight, Mean: l.SqrtAlpha * c.Mean,
			SD: math.Sqrt(l.SqrtAlpha*l.SqrtAlpha*c.SD*c.SD + l.V)}
	}
	return out
}

// Given returns the density of x₀ given x_t. Bayes' rule moves the weight, the mean and the standard deviation of each
// part.
func (n Number) Given(x, t float64) microscope.Mixture {
	l, noisy := schedule.Level(t), n.Noisy(t)
	out, logs := make(microscope.Mixture, len(n.Prior)), make([]float64, len(n.Prior))
	top := math.Inf(-1)
	for k, c := range n.Prior {
		z, variance := (x-noisy[k].Mean)/noisy[k].SD, noisy[k].SD*noisy[k].SD
		logs[k] = math.Log(c.Weight/noisy[k].SD) - z*z/2
		top = max(top, logs[k])
		out[k].Mean = (l.SqrtAlpha*c.SD*c.SD*x + l.V*c.Mean) / variance
		out[k].SD = c.SD * math.Sqrt(l.V/variance)
	}
	var total float64
	for k := range logs {
		out[k].Weight = math.Exp(logs[k] - top)
		total += out[k].Weight
	}
	for k := range out {
		out[k].Weight /= total
	}
	return out
}

// Mean returns E[x₀ | x_t], which a perfect denoiser computes.
func (n Number) Mean(x, t float64) float64 { return n.Given(x, t).Mean() }

// Score returns d log p(x_t)/dx_t. It is the derivative of [Number.Noisy] and does not use Tweedie's formula.
func (n Number) Score(x, t float64) float64 {
	noisy, given := n.Noisy(t), n.Given(x, t) // given has the weights of the parts at x
	var sum float64
	for k, c := range noisy {
		sum -= given[k].Weight * (x - c.Mean) / (c.SD * c.SD)
	}
	return sum
}

// Node is a possible x₀ with its probability.
type Node struct{ X, Weight float64 }

// hermite are the nodes of Gauss and Hermite for one normal density: Σ w f(mean + sd x) is its expectation of f.
var hermite = func() (nodes []Node) {
	const points = 24
	x, w := make([]float64, points), make([]float64, points)
	quad.Hermite{}.FixedLocations(x, w, math.Inf(-1), math.Inf(1))
	for i := range x { // they are nodes and weights of ∫ exp(−x²) f(x) dx
		nodes = append(nodes, Node{math.Sqrt2 * x[i], w[i] / math.Sqrt(math.Pi)})
	}
	return nodes
}()

// Nodes returns possible values of x₀ given x_t with their probabilities, so that a sum over them is an expectation.
func (n Number) Nodes(x, t float64) []Node {
	given := n.Given(x, t)
	nodes := make([]Node, 0, len(given)*len(hermite))
	for _, c := range given {
		for _, h := range hermite {
			nodes = append(nodes, Node{c.Mean + c.SD*h.X, c.Weight * h.Weight})
		}
	}
	return nodes
}

// Mean returns the expectation of f(x₀) over nodes.
func Mean(nodes []Node, f func(x0 float64) float64) (sum float64) {
	for _, n := range nodes {
		sum += n.Weight * f(n.X)
	}
	return sum
}
