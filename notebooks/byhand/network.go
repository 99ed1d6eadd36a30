package byhand

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/expfam/lab/expfam"
)

const (
	hidden    = 24 // tanh units
	inputs    = 3  // x_t, √α and √v
	perUnit   = inputs + 2
	batch     = 64
	rate      = 0.01 // of Adam, falling linearly to a twentieth
	mostSteps = 3000
)

// Network is a denoiser with one layer of 24 tanh units:
//
//	m(x_t, t) = √α x_t + √v f(x_t, √α, √v).
//
// f has to learn what a linear denoiser leaves over, which has a variance of about 1 at every noise level.
type Network struct {
	weights []float64 // of unit k: inputs, bias, output
	bias    float64
}

// Mean returns the network's estimate of E[x₀ | x_t].
func (w *Network) Mean(x, t float64) float64 {
	l := schedule.Level(t)
	f, _ := w.forward([inputs]float64{x, l.SqrtAlpha, math.Sqrt(l.V)})
	return l.SqrtAlpha*x + math.Sqrt(l.V)*f
}

func (w *Network) forward(in [inputs]float64) (f float64, units [hidden]float64) {
	f = w.bias
	for k := range units {
		u := w.weights[k*perUnit : (k+1)*perUnit]
		units[k] = math.Tanh(u[0]*in[0] + u[1]*in[1] + u[2]*in[2] + u[inputs])
		f += u[inputs+1] * units[k]
	}
	return f, units
}

// Train trains a network by denoising score matching, and returns it as it was after each number of steps.
func Train(n Number, seed uint64, after ...int) []*Network {
	rng := expfam.Stream(seed, "network")
	w := &Network{weights: make([]float64, hidden*perUnit)}
	for k := range hidden {
		for j := range inputs + 1 {
			w.weights[k*perUnit+j] = 1.5 * rng.NormFloat64()
		}
	}
	var kept []*Network
	opt := &adam{m: make([]float64, len(w.weights)+1), v: make([]float64, len(w.weights)+1)}
	for step := 0; step <= slices.Max(after); step++ {
		if slices.Contains(after, step) {
			kept = append(kept, &Network{slices.Clone(w.weights), w.bias})
		}
		opt.step(w, w.gradient(n, rng), rate*(1-0.95*min(1, float64(step)/mostSteps)))
	}
	return kept
}

// gradient returns the gradient of the loss of a batch. The score of p(x_t | x₀) is −z/√v, so the loss of
// denoising score matching is the squared error of x₀ but for a weight.
func (w *Network) gradient(n Number, rng *rand.Rand) []float64 {
	gradient := make([]float64, len(w.weights)+1)
	x0, _ := n.Draw(batch, rng.Uint64())
	for i := range x0 {
		l := schedule.Level(0.001 + 0.999*rng.Float64())
		sd := math.Sqrt(l.V)
		x := l.SqrtAlpha*x0[i] + sd*rng.NormFloat64()
		in := [inputs]float64{x, l.SqrtAlpha, sd}
		f, units := w.forward(in)
		miss := f - (x0[i]-l.SqrtAlpha*x)/sd
		for k := range units {
			u, g := w.weights[k*perUnit:], gradient[k*perUnit:]
			back := miss / batch * u[inputs+1] * (1 - units[k]*units[k])
			for j := range inputs {
				g[j] += back * in[j]
			}
			g[inputs] += back
			g[inputs+1] += miss / batch * units[k]
		}
		gradient[len(w.weights)] += miss / batch
	}
	return gradient
}

// adam is the optimiser of Kingma and Ba 2015 with its default decays.
type adam struct {
	m, v []float64
	n    float64
}

func (a *adam) step(w *Network, gradient []float64, rate float64) {
	a.n++
	for i, g := range gradient {
		a.m[i] += 0.1 * (g - a.m[i])
		a.v[i] += 0.001 * (g*g - a.v[i])
		move := rate * a.m[i] / (1 - math.Pow(0.9, a.n)) / (math.Sqrt(a.v[i]/(1-math.Pow(0.999, a.n))) + 1e-8)
		if i < len(w.weights) {
			w.weights[i] -= move
		} else {
			w.bias -= move
		}
	}
}
