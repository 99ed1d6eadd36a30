package latent

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/internal/must"
)

// A chain goes the same way alone and in a block, to the last bit, also beside chains that diverge.
func TestBlocksAreChains(t *testing.T) {
	s, l, data := smooth(true)
	modes := must.Get(byModes(t.Context(), s, data, 5, 5))(t)
	for name, target := range map[string]Posterior{
		"matrix": must.Get(ByLaplace(s.Mean, l, data))(t), "modes": modes,
		"steep": sharp{modes},
	} {
		t.Run(name, func(t *testing.T) {
			const n = 11
			run := func(sizes ...int) (points [][]float64) {
				w := Walker{Density: target.Density(), Turns: name == "modes"}
				var chains []*Chain
				for k := range n {
					c := NewChain(target.Rank(), 0.3+0.1*float64(k), rand.New(rand.NewPCG(1, uint64(k))))
					c.U[0] = float64(k) / n
					chains = append(chains, c)
				}
				for _, size := range sizes {
					some := chains[:size]
					chains = append(slices.Clone(chains[size:]), some...)
					w.Start(some...)
					for range 5 {
						for _, c := range some {
							c.Step = 0.4
						}
						w.Move(math.Pi/2, some...)
					}
				}
				for _, c := range chains {
					points = append(points, c.U, c.Slope, []float64{c.LogP, c.Accept})
				}
				return points
			}
			together, alone := run(n), run(slices.Repeat([]int{1}, n)...)
			for k, want := range alone {
				must.Be(t, slices.Equal(together[k], want), "number %d of the chains is %v, and alone %v", k,
					together[k], want)
			}
		})
	}
}

// sharp is a posterior from whose density nothing is left where the first coordinate is above 0.6.
type sharp struct{ Posterior }

func (s sharp) Density() Density {
	of := s.Posterior.Density()
	return func(u, gradient, logp []float64) {
		of(u, gradient, logp)
		for c, v := range u[:len(logp)] {
			if v > 0.6 {
				logp[c] = math.Inf(-1)
			}
		}
	}
}

// Places are columns of one product.
func TestPlaceColumns(t *testing.T) {
	s, l, data := smooth(false)
	for name, target := range map[string]Posterior{
		"matrix": must.Get(ByLaplace(s.Mean, l, data))(t), "modes": must.Get(byModes(t.Context(), s, data, 5, 5))(t)} {
		t.Run(name, func(t *testing.T) {
			const k = 3
			u, x := mat.NewDense(target.Rank(), k, nil), many(k, target.Cells())
			for i := range target.Rank() {
				for c := range k {
					u.Set(i, c, math.Sin(float64(i*k+c)))
				}
			}
			target.Place(u.RawMatrix().Data, x...)
			for c := range k {
				alone := make([]float64, target.Cells())
				target.Place(mat.Col(nil, c, u), alone)
				must.Be(t, slices.Equal(alone, x[c]), "column %s", fmt.Sprint(c))
			}
		})
	}
}
