package graph

import (
	"math"

	"github.com/expfam/lab/expfam/latent"
)

// intrinsicAreas is the effect of a scaled intrinsic autoregression, with the variance 1 in islands, whose standard
// deviation is sd(values).
func (n *Neighbours) intrinsicAreas(sd func(values []float64) float64) (part, error) {
	s, err := n.sparseStructure()
	if err != nil {
		return part{}, err
	}
	e := latent.Effect{Nodes: n.Len(), Rows: cellwise(n.Len()), Terms: []latent.Term{{}}}
	n.laplacian(s, func(i, j int, v float64) {
		e.Terms[0] = append(e.Terms[0], latent.Value{Row: i, Col: j, Value: v})
	})
	centred := true
	for _, of := range n.Components() {
		if len(of) == 1 {
			e.Terms[0] = append(e.Terms[0], latent.Value{Row: of[0], Col: of[0], Value: 1})
			centred = false
			continue
		}
		if len(of) <= mostNarrow && len(s.scale) > 4 {
			for k, i := range of {
				for _, j := range of[:k+1] {
					e.Terms[0] = append(e.Terms[0], latent.Value{Row: i, Col: j, Value: narrow / float64(len(of))})
				}
			}
			continue
		}
		e.Ground = append(e.Ground, of[0])
		e.Wide = append(e.Wide, mean(of))
	}
	wide := len(e.Wide)
	e.At = func(values []float64) ([]float64, float64, error) {
		v := sd(values)
		precision := 1 / (v * v)
		return weighted(precision, wide), float64(n.Len()) * math.Log(precision), nil
	}
	return part{e, centred}, nil
}

func (p ICAR) effects() ([]part, error) {
	e := p.effect()
	a, err := p.Neighbours.intrinsicAreas(func(values []float64) float64 { return e.all(values)[0] })
	return []part{a}, err
}

// Sparse returns the prior by its precision; see gp.Unknown.
func (p ICAR) Sparse() (*latent.Field, error) { return field(p) }

// effects are two: independent areas, and those that neighbours share.
func (p BYM2) effects() ([]part, error) {
	e, n := p.effect(), p.Dim()
	shared, err := p.Neighbours.intrinsicAreas(func(values []float64) float64 {
		v := e.all(values)
		return v[0] * math.Sqrt(v[1])
	})
	if err != nil {
		return nil, err
	}
	alone := latent.Effect{Nodes: n, Terms: []latent.Term{identity(n)}, Rows: cellwise(n),
		At: func(values []float64) ([]float64, float64, error) {
			v := e.all(values)
			precision := 1 / (v[0] * v[0] * (1 - v[1]))
			return []float64{precision}, float64(n) * math.Log(precision), nil
		}}
	return []part{{alone, false}, shared}, nil
}

// Sparse returns the prior by its precision; see gp.Unknown.
func (p BYM2) Sparse() (*latent.Field, error) { return field(p) }

// laplacianTerms returns D − W as a term, and D.
func (n *Neighbours) laplacianTerms() (laplacian, degrees latent.Term) {
	for i, of := range n.Of {
		degrees = append(degrees, latent.Value{Row: i, Col: i, Value: float64(len(of))})
		for _, j := range of {
			if j < i {
				laplacian = append(laplacian, latent.Value{Row: i, Col: j, Value: -1})
			}
		}
	}
	return append(laplacian, degrees...), degrees
}

func (p Leroux) effects() ([]part, error) {
	e := p.effect()
	r, _ := p.Neighbours.laplacianTerms()
	return []part{ofPrecision(p.Dim(), func(values []float64) []float64 {
		v := e.all(values)
		return []float64{(1 - v[1]) / (v[0] * v[0]), v[1] / (v[0] * v[0])}
	}, identity(p.Dim()), r)}, p.Check()
}

// Sparse returns the prior by its precision; see gp.Unknown.
func (p Leroux) Sparse() (*latent.Field, error) { return field(p) }

func (p CAR) effects() ([]part, error) {
	e := p.effect()
	r, d := p.Neighbours.laplacianTerms()
	return []part{ofPrecision(p.Dim(), func(values []float64) []float64 {
		v := e.all(values)
		return []float64{(1 - v[1]) / (v[0] * v[0]), v[1] / (v[0] * v[0])}
	}, d, r)}, p.Check()
}

// Sparse returns the prior by its precision; see gp.Unknown.
func (p CAR) Sparse() (*latent.Field, error) { return field(p) }
