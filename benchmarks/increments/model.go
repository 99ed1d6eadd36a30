package increments

import (
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/operator"
)

// Model is a prior for a diffusion, with the matrix that turns its cells into signals.
type Model struct {
	Name  string
	Prior expfam.Prior
	// Signals is the matrix from cells to signals in their own units, (cells, cells).
	Signals *mat.Dense
}

// OfSignals returns the model of a prior that was learned from [Paths]. Its cells are the signal in units of its root
// mean square. The benchmark's authors also diffuse signals.
func OfSignals(law Law, prior expfam.Prior) Model {
	to := mat.NewDense(Cells, Cells, nil)
	for j := range Cells {
		to.Set(j, j, unit(law))
	}
	return Model{"learned, of signals", prior, to}
}

// OfIncrements returns the model of a prior of independent increments in units of [Law.Spread]. The prior is learned
// ([Fit]) or exact ([NewMixture]). Its cells are increments, and the operator is H times the running sum.
func OfIncrements(law Law, name string, prior expfam.Prior) Model {
	to := mat.NewDense(Cells, Cells, nil)
	for i := range Cells {
		for j := range i + 1 {
			to.Set(i, j, law.Spread())
		}
	}
	return Model{name, prior, to}
}

// operator returns H times the matrix from cells to signals.
func (m Model) operator(p *Problem) *mat.Dense {
	data, cells := p.Operator.Dims()
	h := mat.NewDense(data, cells, nil)
	for k := range data {
		p.Operator.Row(k, func(j int, w float64) { h.Set(k, j, w) })
	}
	out := new(mat.Dense)
	out.Mul(h, m.Signals)
	return out
}

// likelihood returns the likelihood of a problem's data given the cells.
func (m Model) likelihood(p *Problem) expfam.Likelihood {
	h := m.operator(p)
	if p.Counts == nil {
		return expfam.Likelihood{Family: expfam.Normal{SD: p.Noise}, Link: expfam.IdentityLink,
			Operator: &operator.Dense{Matrix: h}}
	}
	h.Scale(1/p.power, h)
	like := p.Counts.Likelihood
	like.Operator = &operator.Dense{Matrix: h}
	return like
}

// signals turns draws of cells into signals.
func (m Model) signals(x *mat.Dense) *mat.Dense {
	out := new(mat.Dense)
	out.Mul(x, m.Signals.T())
	return out
}
