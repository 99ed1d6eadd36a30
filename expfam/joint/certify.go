package joint

import (
	"errors"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
)

// certify returns the certificate of the field given the parameters of each draw, which is what Stein's identities say
// of the joint posterior in directions of the field.
func (r *run) certify(post *expfam.Posterior) (*expfam.Certificate, error) {
	if r.sparse != nil {
		return nil, errors.New("todo")
	}
	_, obs, err := AtMedians(r.like, r.obs, post.Parameters[r.own:])
	if err != nil {
		return nil, err
	}
	draws, _ := post.Dims()
	which := make([]int, draws) // draws with the same parameters have the same prior
	for i := 1; i < draws; i++ {
		which[i] = which[i-1]
		if !slices.Equal(r.t.RawRowView(i), r.t.RawRowView(i-1)) {
			which[i] = i
		}
	}
	rows, cols := 1, r.cells
	if r.lattice != nil {
		rows, cols = r.lattice.Lattice()
	}
	return post.CertifyEach(obs, which, func(i int) any {
		values := r.values(r.t.RawRowView(i))
		mean, cov, err := r.normal(values[:r.own])
		if err != nil {
			return nil
		}
		data, err := r.tuner.At(values[r.own:])
		if err != nil {
			return nil
		}
		return given{mean, cov, data, rows, cols}
	})
}

// given is the prior of the field given its parameters, with the data given the constants. Its modes would take a
// decomposition for each draw, so it has products only.
type given struct {
	mean       []float64
	cov        *mat.SymDense
	data       expfam.LogLikelihood
	rows, cols int
}

// Data returns the log-likelihood under the constants of the draw; see [expfam.Posterior.CertifyEach].
func (g given) Data() expfam.LogLikelihood { return g.data }

func (g given) Mean() []float64 { return g.mean }

func (g given) Lattice() (rows, cols int) { return g.rows, g.cols }

func (g given) Multiply(v []float64) ([]float64, bool) {
	var out mat.VecDense
	out.MulVec(g.cov, mat.NewVecDense(len(v), v))
	return out.RawVector().Data, true
}
