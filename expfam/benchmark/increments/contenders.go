package increments

import (
	"math"

	"github.com/expfam/lab/expfam"
)

// Ours is the library's default sampler for priors that are far from a Gaussian: 30 evaluations of the prior's network.
func Ours(m Model) Contender {
	return Contender{"expfam", []Method{Guided{m, expfam.Sampler{Method: expfam.Restarts{Skew: 3}, Guidance: expfam.Quadrature{}}}}}
}

// Propagated is [Propagation] with nothing chosen.
func Propagated(m Model) Contender {
	return Contender{"propagation", []Method{Propagation{Model: m}}}
}

// AtTheMean takes the likelihood at the mean of x₀ | x_t, as DPS does for data of any family, with the library's
// method of steps.
func AtTheMean(m Model) Contender {
	return Contender{"likelihood at the mean", []Method{Guided{m, expfam.Sampler{Method: expfam.Restarts{}, Guidance: expfam.Delta{}}}}}
}

// Published are the three methods that the benchmark's authors compare, each with a parameter that is searched on a
// grid, in so many evaluations of the network; theirs are 1000.
func Published(m Model, evaluations int) []Contender {
	chung, pir, split := Contender{Name: "C-DPS"}, Contender{Name: "DiffPIR"}, Contender{Name: "DPnP"}
	for _, zeta := range []float64{0.003, 0.01, 0.03, 0.1, 0.3, 1} {
		chung.Grid = append(chung.Grid, Chung{CDPS{Zeta: zeta, N: evaluations}, m})
	}
	for _, lambda := range []float64{0.1, 0.3, 1, 3, 10} {
		pir.Grid = append(pir.Grid, Guided{m, expfam.Sampler{Method: expfam.DiffPIR{N: evaluations}, Guidance: expfam.Proximal{Lambda: lambda}}})
	}
	rounds := max(int(math.Sqrt(1.6*float64(evaluations))), 1) // 40 of 25 for 1000
	for _, eta := range []float64{0.005, 0.01, 0.02, 0.05, 0.1, 0.2} {
		split.Grid = append(split.Grid, PlugAndPlay{DPnP{Eta: eta, Rounds: rounds, Steps: max(evaluations/rounds, 2)}, m})
	}
	return []Contender{chung, pir, split}
}
