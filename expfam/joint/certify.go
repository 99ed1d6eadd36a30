package joint

import (
	"errors"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
)

// certify returns the certificate of the field given the parameters of each draw, which is what Stein's identities say
// of the joint posterior in directions of the field. There is none for unknown constants of the likelihood, which the
// posterior has at their medians.
func (r *run) certify(post *expfam.Posterior) (*expfam.Certificate, error) {
	if r.own < len(r.parameters) {
		return nil, errors.New("certify: the likelihood has unknown constants")
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
	return post.CertifyEach(r.obs, which, func(i int) any {
		mean, cov, err := r.normal(r.values(r.t.RawRowView(i))[:r.own])
		if err != nil {
			return nil
		}
		return given{mean, cov, rows, cols}
	})
}

// given is the prior of the field given its parameters. Its modes would take a decomposition for each draw, so it has
// products only.
type given struct {
	mean []float64
	cov  *mat.SymDense

	rows, cols int
}

func (g given) Mean() []float64 { return g.mean }

func (g given) Lattice() (rows, cols int) { return g.rows, g.cols }

func (g given) Multiply(v []float64) ([]float64, bool) {
	var out mat.VecDense
	out.MulVec(g.cov, mat.NewVecDense(len(v), v))
	return out.RawVector().Data, true
}
