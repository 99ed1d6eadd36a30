package increments

import (
	"math"

	"github.com/expfam/lab/benchmarks/diffpir"
	"github.com/expfam/lab/expfam/diffusion"
)

// Ours is the library's default sampler for priors that are far from a Gaussian: 30 evaluations of the prior's network.
func Ours(m Model) Contender {
	return Contender{"expfam", []Method{Guided{m,
		diffusion.Sampler{Method: diffusion.Restarts{Skew: 3}, Guidance: diffusion.Quadrature{}}}}}
}

// Propagated is [Propagation] with default settings, and ten sweeps of moves if increments are 0 with a positive
// probability.
func Propagated(m Model) Contender {
	p := Propagation{Model: m}
	if mixture, ok := m.Prior.(*Mixture); ok {
		if _, atom := mixture.Law.(BernoulliLaplace); atom {
			p.Moves = 10
		}
	}
	return Contender{"propagation", []Method{p}}
}

// PropagatedAlone is [Propagation] with default settings and no moves.
func PropagatedAlone(m Model) Contender {
	return Contender{"propagation without moves", []Method{Propagation{Model: m}}}
}

// PropagatedCounts is [Propagation] for counts, which holds sites in its first rounds.
func PropagatedCounts(m Model) Contender {
	return Contender{"propagation", []Method{Propagation{Model: m, Hold: true}}}
}

// AtTheMean evaluates the likelihood at the mean of x₀ | x_t, as DPS does for data of any family. Its steps are those
// of diffusion.Restarts.
func AtTheMean(m Model) Contender {
	return Contender{"likelihood at the mean",
		[]Method{Guided{m, diffusion.Sampler{Method: diffusion.Restarts{}, Guidance: diffusion.Delta{}}}}}
}

// Published returns the three methods that the benchmark's authors compare. Each has a parameter that is searched on a
// grid, and takes the given number of evaluations of the network. The authors take 1000.
func Published(m Model, evaluations int) []Contender {
	chung, pir, split := Contender{Name: "C-DPS"}, Contender{Name: "DiffPIR"}, Contender{Name: "DPnP"}
	for _, zeta := range []float64{0.003, 0.01, 0.03, 0.1, 0.3, 1} {
		chung.Grid = append(chung.Grid, Chung{CDPS{Zeta: zeta, N: evaluations}, m})
	}
	for _, lambda := range []float64{0.1, 0.3, 1, 3, 10} {
		pir.Grid = append(pir.Grid, Guided{m, diffusion.Sampler{Method: diffpir.DiffPIR{N: evaluations},
			Guidance: diffpir.Proximal{Lambda: lambda}}})
	}
	rounds := max(int(math.Sqrt(1.6*float64(evaluations))), 1) // 1000 evaluations are 40 rounds of 25
	for _, eta := range []float64{0.005, 0.01, 0.02, 0.05, 0.1, 0.2} {
		split.Grid = append(split.Grid, PlugAndPlay{DPnP{Eta: eta, Rounds: rounds, Steps: max(evaluations/rounds, 2)},
			m})
	}
	return []Contender{chung, pir, split}
}
