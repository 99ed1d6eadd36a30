package certify

import (
	"math"
	"math/rand/v2"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// made is a kind of draws, exact or wrong in a known way.
type made struct {
	name string
	of   func(t Target, rng *rand.Rand, exact *mat.Dense) *mat.Dense // nil if the target has no such draws
}

// moved changes each parameter affinely about its exact mean: by a number of sd, and in width.
func moved(shift, width float64) func(Target, *rand.Rand, *mat.Dense) *mat.Dense {
	return func(t Target, _ *rand.Rand, exact *mat.Dense) *mat.Dense {
		x := mat.DenseCopyOf(exact)
		n, d := x.Dims()
		for k := range d {
			mean, sd := stat.MeanStdDev(mat.Col(nil, k, exact), nil)
			for i := range n {
				x.Set(i, k, mean+width*(x.At(i, k)-mean)+shift*sd)
			}
		}
		return x
	}
}

// approximate draws from the normal law at the mode; with full false, from the closest one (in the divergence that
// mean-field variational inference minimises) of independent parameters.
func approximate(full bool) func(Target, *rand.Rand, *mat.Dense) *mat.Dense {
	return func(t Target, rng *rand.Rand, exact *mat.Dense) *mat.Dense {
		s, err := t.shapeOf()
		if err != nil {
			return nil
		}
		n, d := exact.Dims()
		x, z := mat.NewDense(n, d, nil), make([]float64, d)
		for i := range n {
			for k := range z {
				z[k] = rng.NormFloat64()
			}
			row := x.RawRowView(i)
			if full {
				mat.NewVecDense(d, row).MulVec(&s.root, mat.NewVecDense(d, z))
			} else {
				for k := range row {
					row[k] = z[k] * math.Sqrt(s.inverse[k])
				}
			}
			floats.Add(row, s.mode)
		}
		return x
	}
}

func kinds() []made {
	return []made{
		{"exact", func(_ Target, _ *rand.Rand, exact *mat.Dense) *mat.Dense { return exact }},
		{"moved .1 sd", moved(0.1, 1)}, {"moved .3 sd", moved(0.3, 1)}, {"width .9", moved(0, 0.9)},
		{"width 1.1", moved(0, 1.1)},
		{"one mode", func(t Target, rng *rand.Rand, exact *mat.Dense) *mat.Dense {
			if t.One == nil {
				return nil
			}
			x := mat.DenseCopyOf(exact)
			n, _ := x.Dims()
			for i := range n {
				t.One(rng, x.RawRowView(i))
			}
			return x
		}},
		{"mean field", approximate(false)}, {"Laplace", approximate(true)},
	}
}

// same reports whether an approximation is exact for a target, so that it is no wrong one.
func same(kind string, t Target) bool {
	normal := strings.HasPrefix(t.Name, "normal")
	return normal && (kind == "Laplace" || t.Dim == 1 && kind == "mean field")
}
