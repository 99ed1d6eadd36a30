package microscope

import (
	"fmt"
	"sync"

	"github.com/gomlx/gomlx/core/tensors"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
)

// fitStride thins the grid of an integral to the nodes that the conjugate is fitted to. Fewer nodes serve there,
// because p(x₀ | x_t) is smooth where p(x₀ | x_t, y) need not be.
const fitStride = 4

// fit fills in the Conjugate and the Trick of each view. It uses the graph that guidances are made of: the
// weights of p(x₀ | x_t) depend on x_t, q is fitted to the weighted nodes, and the evidence under q is
// differentiated all the way back to x_t.
func (s *stage) fit(views []View, sums []*integral) error {
	const n = sumPoints / fitStride
	x, x0, prior := make([]float64, 0, len(sums)), make([]float64, 0, n*len(sums)), make([]float64, 0, n*len(sums))
	for _, g := range sums {
		x = append(x, g.x)
		for i := fitStride / 2; i < sumPoints; i += fitStride {
			x0, prior = append(x0, g.x0[i]), append(prior, g.prior[i])
		}
	}
	lens, err := s.lens()
	if err != nil {
		return fmt.Errorf("microscope: %w", err)
	}
	out, err := lens.Call(tensors.FromFlatDataAndDimensions(x, len(x), 1),
		tensors.FromFlatDataAndDimensions(x0, len(x), n), tensors.FromFlatDataAndDimensions(prior, len(x), n),
		s.Level.SqrtAlpha, s.Level.V, s.Term.Stat, s.Term.Size)
	if err != nil {
		return fmt.Errorf("microscope: fitting the conjugate of %v: %w", s.terms, err)
	}
	conjugate := s.terms.Family.Conjugate()
	loc, logConc := tensors.MustCopyFlatData[float64](out[0]), tensors.MustCopyFlatData[float64](out[1])
	value, slope := tensors.MustCopyFlatData[float64](out[2]), tensors.MustCopyFlatData[float64](out[3])
	for i := range views {
		views[i].Conjugate = expfam.Standard{Conjugate: conjugate}.At(loc[i], logConc[i])
		views[i].Trick = LogScore{value[i] + s.Term.Base, slope[i]}
	}
	return engine.Release(out...)
}

// lenses keeps compiled graphs, which take longer to compile than to run. The conjugate and the formula of the
// link determine a graph.
var lenses = struct {
	sync.Mutex
	ready map[string]*Exec
}{ready: map[string]*Exec{}}

// lens returns the graph of fit. It maps (x_t, x₀, log p(x₀), √α, v, stat, size) to the network coordinates of
// q, the log-evidence under q and the derivative of the log-evidence in x_t.
func (s *stage) lens() (*Exec, error) {
	conjugate := s.terms.Family.Conjugate()
	key := fmt.Sprintf("%#v %s", conjugate, s.terms.LinkKey())
	lenses.Lock()
	defer lenses.Unlock()
	if exec := lenses.ready[key]; exec != nil {
		return exec, nil
	}
	e, err := engine.Float64()
	if err != nil {
		return nil, err
	}
	coordinate := s.terms.Coordinate()
	exec, err := NewExec(e.Backend, func(in []*Node) []*Node {
		x, x0, prior, sqrtAlpha, v, stat, size := in[0], in[1], in[2], in[3], in[4], in[5], in[6]
		gap := Sub(x, Mul(x0, sqrtAlpha))
		weights := Softmax(Sub(prior, Div(Square(gap), MulScalar(v, 2))), -1)
		loc, logConc := conjugate.Fit(coordinate(x0), weights)
		value := conjugate.LogEvidence(loc, logConc, stat, size)
		return []*Node{loc, logConc, value, Gradient(ReduceAllSum(value), x)[0]}
	})
	if err == nil {
		if len(lenses.ready) >= 32 {
			clear(lenses.ready)
		}
		lenses.ready[key] = exec
	}
	return exec, err
}
