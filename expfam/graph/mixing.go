package graph

import (
	"errors"
	"fmt"
	"math"

	"github.com/expfam/lab/expfam/internal/parallel"
	"github.com/expfam/lab/expfam/sparse"
)

// PCMixing is the penalised complexity prior of the mixing φ of [BYM2] (Riebler, Sørbye, Simpson & Rue 2016): the
// distance
//
//	d(φ) = √(tr C − n − log det C),  C = (1−φ) I + φ S,
//
// from independent areas is exponential with P(φ < Below) = Probability. It depends on the graph through the
// eigenvalues of S. Of the exponential distribution the part is kept for which φ is at most 1 − 2·10⁻¹⁵, which float64
// tells from 1. The distance is tabulated once for a graph.
type PCMixing struct {
	Neighbours         *Neighbours
	Below, Probability float64
}

// mostOdds is the largest log(φ/(1−φ)).
const mostOdds = 34

// Quantile implements law.Law.
func (l PCMixing) Quantile(p float64) float64 {
	t, _ := l.Neighbours.distances() // Check returned the error
	rate := -math.Log1p(-l.Probability) / t.at(math.Log(l.Below/(1-l.Below)))
	most := t.at(mostOdds)
	want := -math.Log1p(p*math.Expm1(-rate*most)) / rate
	low, high := -40.0, float64(mostOdds)
	for range 60 {
		if middle := (low + high) / 2; t.at(middle) < want {
			low = middle
		} else {
			high = middle
		}
	}
	return 1 / (1 + math.Exp(-(low+high)/2))
}

func (l PCMixing) String() string {
	return fmt.Sprintf("pc(P(mixing<%.4g)=%.4g)", l.Below, l.Probability)
}

// Check refuses a limit or a probability outside (0, 1), and a graph without neighbours.
func (l PCMixing) Check() error {
	if l.Neighbours == nil {
		return errors.New("graph: PCMixing has no Neighbours; give those of the BYM2")
	}
	if _, err := l.Neighbours.distances(); err != nil {
		return err
	}
	if !(l.Below > 0 && l.Below < 1) || !(l.Probability > 0 && l.Probability < 1) {
		return fmt.Errorf("graph: %s; both the limit and the probability lie between 0 and 1", l)
	}
	return nil
}

const (
	// The table has the odds from −edge to edge. Below, the distance is proportional to φ up to a relative error of φ.
	// Above, 1−φ counts only in the null directions of the graph.
	edge, eachOdds = 14, 8
)

// table has log d(φ) at equally spaced log odds of φ.
type table struct {
	logs []float64
	*scales
	above float64 // log determinant of C on the range of S at the upper edge
}

// distances returns the table of the graph, which it computes once.
func (n *Neighbours) distances() (*table, error) {
	s, err := n.sparseStructure()
	if err != nil {
		return nil, err
	}
	n.tabulated.Do(func() { s.mixing.tabulate(n, s) })
	return &s.mixing, nil
}

// tabulate computes the distances. On the range of S, where it is the inverse of Q,
//
//	log |(1−φ) I + φ S| = log |(1−φ) Q + φ I| − log |Q|.
func (t *table) tabulate(n *Neighbours, s *scales) {
	t.scales = s
	var pairs [][2]int
	n.laplacian(s, func(i, j int, _ float64) { pairs = append(pairs, [2]int{i, j}) })
	a := sparse.New(n.Len(), pairs)
	n.laplacian(s, func(i, j int, v float64) { a.Value[a.Index(i, j)] = v })
	symbolic := sparse.Analyse(a, sparse.MinimumDegree(a))
	t.logs = make([]float64, 2*edge*eachOdds+1)
	parallel.For(len(t.logs), max(1, int(symbolic.Operations())), func(k int) {
		odds := float64(k)/eachOdds - edge
		phi, rest := shares(odds)
		f, value := symbolic.Factor(), make([]float64, len(a.Value))
		for e, v := range a.Value {
			value[e] = rest * v
		}
		for i := range a.N {
			if value[a.Start[i]] += phi; len(n.Of[i]) == 0 {
				value[a.Start[i]] = 1
			}
		}
		if err := f.Refactor(value); err != nil {
			t.logs[k] = math.NaN()
			return
		}
		logDet := f.LogDet() - float64(s.parts)*math.Log(phi) + s.logDet
		if k == len(t.logs)-1 {
			t.above = logDet
		}
		t.logs[k] = math.Log(t.distance(phi, rest, logDet))
	})
}

// distance returns d(φ) for the log determinant of C on the range of S.
func (t *table) distance(phi, rest, logDet float64) float64 {
	square := phi*(t.trace-float64(t.rank+t.parts)) - float64(t.parts)*math.Log(rest) - logDet
	return math.Sqrt(math.Max(math.SmallestNonzeroFloat64, square))
}

// shares returns φ and 1−φ at the log odds of φ.
func shares(odds float64) (phi, rest float64) {
	return 1 / (1 + math.Exp(-odds)), 1 / (1 + math.Exp(odds))
}

// at returns d(φ) at the log odds of φ, by the cubic through the four nearest entries of the table.
func (t *table) at(odds float64) float64 {
	phi, rest := shares(odds)
	lowest, _ := shares(-edge)
	switch {
	case odds <= -edge:
		return math.Exp(t.logs[0]) * phi / lowest
	case odds >= edge:
		return t.distance(phi, rest, t.above)
	}
	at := (odds + edge) * eachOdds
	k := min(max(int(at)-1, 0), len(t.logs)-4)
	x, v := at-float64(k), t.logs[k:k+4]
	return math.Exp(-v[0]*(x-1)*(x-2)*(x-3)/6 + v[1]*x*(x-2)*(x-3)/2 - v[2]*x*(x-1)*(x-3)/2 + v[3]*x*(x-1)*(x-2)/6)
}
