package diffusion

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// Delta is the guidance by the exact log-likelihood at the Tweedie mean. It approximates p(y | x_t) by p(y | x₀ = E[x₀
// | x_t]), as if x₀ | x_t were a point. For a Normal likelihood with its own weight 1/(2σ²) it is diffusion posterior
// sampling (Chung et al. 2023). It works for any family. Where the link is steep the sampler's steps become unstable.
type Delta struct{}

func (Delta) String() string { return "delta" }

// Shift returns Cov(x₀ | x_t) times the slope of the log-likelihood at the mean.
func (Delta) Shift(p *Point) *Node {
	if p.forward != nil {
		return p.through(func(datum *Point) *Node {
			return datum.Terms.Orders(datum.Mean, datum.Stat, datum.Size, 0, 0)[0]
		})
	}
	slope := p.Terms.Orders(StopGradient(p.Mean), p.Stat, p.Size, 1, 1)[0]
	return p.Cov(slope)
}
