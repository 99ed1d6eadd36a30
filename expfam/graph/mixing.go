package graph

import (
	"errors"
	"fmt"
	"math"
)

// PCMixing is the penalised complexity prior of the mixing φ of [BYM2] (Riebler, Sørbye, Simpson & Rue 2016): the
// distance
//
//	d(φ) = √(tr C − n − log det C),  C = (1−φ) I + φ S,
//
// from independent areas is exponential with P(φ < Below) = Probability. It depends on the graph through the
// eigenvalues of S. Of the exponential distribution the part is kept for which φ is at most 1 − 2·10⁻¹⁵, which float64
// tells from 1.
type PCMixing struct {
	Neighbours         *Neighbours
	Below, Probability float64
}

// mostOdds is the largest log(φ/(1−φ)).
const mostOdds = 34

// Quantile implements law.Law.
func (l PCMixing) Quantile(p float64) float64 {
	s, _ := l.Neighbours.structure() // Check returned the error
	gamma := s.gamma
	rate := -math.Log1p(-l.Probability) / distance(gamma, math.Log(l.Below/(1-l.Below)))
	most := distance(gamma, mostOdds)
	want := -math.Log1p(p*math.Expm1(-rate*most)) / rate
	low, high := -40.0, float64(mostOdds)
	for range 60 {
		if middle := (low + high) / 2; distance(gamma, middle) < want {
			low = middle
		} else {
			high = middle
		}
	}
	return 1 / (1 + math.Exp(-(low+high)/2))
}

// distance returns d(φ) at the log odds of φ, for the eigenvalues γ of S: √Σ(φ(γ−1) − log(1−φ + φγ)).
func distance(gamma []float64, odds float64) float64 {
	phi, rest := 1/(1+math.Exp(-odds)), 1/(1+math.Exp(odds))
	var sum float64
	for _, g := range gamma {
		if u := phi * (g - 1); math.Abs(u) < 1e-4 {
			sum += u * u * (0.5 - u/3)
		} else {
			sum += u - math.Log(rest+phi*g)
		}
	}
	return math.Sqrt(math.Max(0, sum))
}

func (l PCMixing) String() string {
	return fmt.Sprintf("pc(P(mixing<%.4g)=%.4g)", l.Below, l.Probability)
}

// Check refuses a limit or a probability outside (0, 1), and a graph without neighbours.
func (l PCMixing) Check() error {
	if l.Neighbours == nil {
		return errors.New("graph: PCMixing has no Neighbours; give those of the BYM2")
	}
	if _, err := l.Neighbours.structure(); err != nil {
		return err
	}
	if !(l.Below > 0 && l.Below < 1) || !(l.Probability > 0 && l.Probability < 1) {
		return fmt.Errorf("graph: %s; both the limit and the probability lie between 0 and 1", l)
	}
	return nil
}
