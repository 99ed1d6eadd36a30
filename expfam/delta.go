package expfam

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// Delta is the exact log-likelihood at the Tweedie mean: p(y | x_t) ≈
// p(y | x₀ = E[x₀ | x_t]), as if x₀ | x_t were a point. It is what diffusion
// posterior sampling (Chung et al. 2023) is for a Normal likelihood when the
// likelihood is weighted as it is, by 1/(2σ²), and works for any family; it is
// stiff where the link is steep.
type Delta struct{}

func (Delta) String() string { return "delta" }

// Shift is Cov(x₀ | x_t) times the slope of the log-likelihood at the mean.
func (Delta) Shift(p *Point) *Node {
	if p.forward != nil {
		return p.through(func(datum *Point) *Node {
			return datum.Terms.orders(datum.Mean, datum.Stat, datum.Size, 0, 0)[0]
		})
	}
	slope := p.Terms.orders(StopGradient(p.Mean), p.Stat, p.Size, 1, 1)[0]
	return p.Cov(slope)
}
