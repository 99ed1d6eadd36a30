package expfam

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/certify"
	"github.com/expfam/lab/expfam/store"
)

// coordinates are what a certificate of [Posterior.CertifyCoordinates] is made of. They stay with draws and in their
// files, so that [Merge] makes the certificate that one machine would make, of shares of any size.
type coordinates struct {
	directions      string
	position, score *mat.Dense // (draws, coordinates)
}

// CertifyCoordinates makes a certificate of the coordinates z of draws in which their posterior is near N(0, I), and of
// the scores there, the gradients of its log density, both (draws, coordinates). Coordinates may depend on the unknown
// parameters of a draw: given these E[s] = 0 and E[z sᵀ] = −I. The coordinates stay with draws of more cells than
// that, for [Merge].
func (p *Posterior) CertifyCoordinates(directions string, position, score *mat.Dense) (*Certificate, error) {
	draws, k := position.Dims()
	if _, cells := p.Dims(); cells > k {
		p.coordinates = &coordinates{directions, position, score}
	}
	if err := certify.Enough(draws); err != nil {
		return nil, err
	}
	c, found := compare(position, score, score, p.Info.Chains)
	c.Directions, c.P = directions, found.together()
	return c, nil
}

// mergeCoordinates sets the certificate of a whole by the coordinates of its shares. It reports whether all have them.
func (p *Posterior) mergeCoordinates(shares []*Posterior) bool {
	var position, score []float64
	k := 0
	for i, share := range shares {
		c := share.coordinates
		if c == nil {
			return false
		}
		_, own := c.position.Dims()
		if i > 0 && (own != k || c.directions != shares[0].coordinates.directions) {
			return false
		}
		k = own
		position, score = append(position, c.position.RawMatrix().Data...), append(score, c.score.RawMatrix().Data...)
	}
	n := len(position) / k
	p.SetCertificate(p.CertifyCoordinates(shares[0].coordinates.directions, mat.NewDense(n, k, position),
		mat.NewDense(n, k, score)))
	return true
}

// names of coordinates in files
const positionTensor, scoreTensor, directionsMeta = "certificate/position", "certificate/score", "directions"

// write adds the coordinates to a file.
func (c *coordinates) write(f *store.File) {
	if c == nil {
		return
	}
	n, k := c.position.Dims()
	f.Meta[directionsMeta] = c.directions
	f.Tensors = append(f.Tensors,
		store.Tensor{Name: positionTensor, Shape: []int{n, k}, Data: slices.Clone(c.position.RawMatrix().Data)},
		store.Tensor{Name: scoreTensor, Shape: []int{n, k}, Data: slices.Clone(c.score.RawMatrix().Data)})
}

// readCoordinates returns the coordinates of so many draws in a file, or nil.
func readCoordinates(f *store.File, draws int) *coordinates {
	read := func(name string) *mat.Dense {
		t, _ := f.Tensor(name)
		if v, ok := t.Data.([]float64); ok && len(t.Shape) == 2 && t.Shape[0] == draws && t.Shape[1] > 0 {
			return mat.NewDense(draws, t.Shape[1], v)
		}
		return nil
	}
	position, score := read(positionTensor), read(scoreTensor)
	if position == nil || score == nil || position.RawMatrix().Cols != score.RawMatrix().Cols {
		return nil
	}
	return &coordinates{f.Meta[directionsMeta], position, score}
}
