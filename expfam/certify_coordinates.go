package expfam

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// CertifyCoordinates makes a certificate of the coordinates z of draws in which their posterior is near N(0, I), and of
// the scores there, the gradients of its log density, both (draws, coordinates). Coordinates may depend on the unknown
// parameters of a draw: given these E[s] = 0 and E[z sᵀ] = −I.
func (p *Posterior) CertifyCoordinates(directions string, position, score *mat.Dense) (*Certificate, error) {
	if draws, _ := position.Dims(); draws < leastCertified {
		return nil, fmt.Errorf("certify: %d draws, and a certificate needs at least %d", draws, leastCertified)
	}
	c, found := compare(position, score, score, p.Info.Chains)
	c.Directions, c.P = directions, found.together()
	return c, nil
}
