package joint

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/latent"
)

// certify returns the certificate of the field given the parameters of each draw, which is what Stein's identities say
// of the joint posterior in directions of the field.
func (r *run) certify(post *expfam.Posterior) (*expfam.Certificate, error) {
	if r.sparse != nil {
		draws, _ := post.Dims()
		_, k := r.position.Dims()
		return post.CertifyCoordinates("coordinates of the posterior's precision",
			mat.DenseCopyOf(r.position.Slice(0, draws, 0, k)), mat.DenseCopyOf(r.score.Slice(0, draws, 0, k)))
	}
	_, obs, err := AtMedians(r.like, r.obs, post.Parameters[r.own:])
	if err != nil {
		return nil, err
	}
	draws, _ := post.Dims()
	which, first := make([]int, draws), map[string]int{} // draws with the same parameters have the same prior
	for i := range which {
		name := fmt.Sprint(r.t.RawRowView(i))
		if _, found := first[name]; !found {
			first[name] = i
		}
		which[i] = first[name]
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
		data, err := r.tuner(values[r.own:])
		if err != nil {
			return nil
		}
		return given{mean, cov, data, rows, cols}
	})
}

// certified is the largest number of coordinates of a certificate under a sparse precision.
const certified = 128

// note keeps coordinates and scores of a draw: the last ones of the factor, which move many cells together, and as many
// at equal distances.
func (r *run) note(i int, z, score []float64) {
	position, scores := r.position.RawRowView(i), r.score.RawRowView(i)
	n, k := len(z), len(position)
	for c := range k {
		at := n - 1 - c
		if c >= k/2 {
			at = (c - k/2) * (n - k/2) / (k - k/2)
		}
		position[c], scores[c] = z[at], score[at]
	}
}

// given is the prior of the field given its parameters, with the data given the constants. Its modes would take a
// decomposition for each draw, so it has products only.
type given struct {
	mean       []float64
	cov        *mat.SymDense
	data       latent.Data
	rows, cols int
}

// Data returns the log-likelihood under the constants of the draw; see [expfam.Posterior.CertifyEach].
func (g given) Data() latent.Data { return g.data }

func (g given) Mean() []float64 { return g.mean }

func (g given) Lattice() (rows, cols int) { return g.rows, g.cols }

func (g given) Multiply(v []float64) ([]float64, bool) {
	var out mat.VecDense
	out.MulVec(g.cov, mat.NewVecDense(len(v), v))
	return out.RawVector().Data, true
}
