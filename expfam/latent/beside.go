package latent

import (
	"errors"

	"gonum.org/v1/gonum/mat"
)

// Beside returns the field of the cells of all fields, one after the other. Field k takes the next numbers[k] values.
func Beside(fields []*Field, numbers []int) *Field {
	var mean []float64
	cells := 0
	for _, f := range fields {
		mean, cells = append(mean, f.Offset...), cells+len(f.Rows)
	}
	var effects []Effect
	first, from := 0, 0
	for k, f := range fields {
		e := Effect{Nodes: f.Nodes(), Wide: f.Wide, Ground: f.Ground, Spare: f.Spare, Rows: make([][]Entry, cells)}
		copy(e.Rows[first:], f.Rows)
		for j := range f.Nodes() {
			for _, i := range f.Pattern.Row[f.Pattern.Start[j]:f.Pattern.Start[j+1]] {
				e.Terms = append(e.Terms, Term{{i, j, 1}})
			}
		}
		at, to := from, from+numbers[k]
		e.At = func(values []float64) ([]float64, float64, error) {
			all := make([]float64, len(f.Pattern.Row)+len(f.Wide))
			logDet, err := f.Fill(values[at:to], all[:len(f.Pattern.Row)], all[len(f.Pattern.Row):])
			return all, logDet, err
		}
		effects, first, from = append(effects, e), first+len(f.Rows), to
	}
	return Sum(mean, Shared{}, effects...)
}

// Dense returns a field of known mean and covariance, whose precision has all entries.
func Dense(mean []float64, cov *mat.SymDense) (*Field, error) {
	n := len(mean)
	var chol mat.Cholesky
	var precision mat.SymDense
	if !chol.Factorize(cov) || chol.Cond() > 1e8 {
		return nil, errors.New("the covariance of a part is singular, so the part has no precision")
	}
	if err := chol.InverseTo(&precision); err != nil {
		return nil, err
	}
	e := Effect{Nodes: n, Terms: []Term{{}}, Rows: make([][]Entry, n),
		At: func([]float64) ([]float64, float64, error) { return []float64{1}, 0, nil }}
	for i := range n {
		e.Rows[i] = []Entry{{i, 1}}
		for j := range i + 1 {
			e.Terms[0] = append(e.Terms[0], Value{i, j, precision.At(i, j)})
		}
	}
	return Sum(mean, Shared{}, e), nil
}
