package increments

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	gonum "gonum.org/v1/gonum/dsp/fourier"

	"github.com/expfam/lab/internal/must"
)

// The data are the coefficients of gonum's transform, and those of all frequencies keep the energy (Parseval), with
// both signs of a frequency counted.
func TestFourier(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	for _, cells := range []int{8, 9} {
		x, squares := make([]float64, cells), 0.0
		for j := range x {
			x[j] = rng.NormFloat64()
			squares += x[j] * x[j]
		}
		want := gonum.NewFFT(cells).Coefficients(nil, x)
		data := func(keep []int) (data []float64) {
			o := fourier(cells, keep)
			n, _ := o.Dims()
			data = make([]float64, n)
			for k := range data {
				o.Row(k, func(j int, w float64) { data[k] += w * x[j] })
			}
			return data
		}
		keep := []int{0, 3, cells / 2}
		some, at := data(keep), 0
		for _, f := range keep {
			c := complex(some[at], 0)
			if at++; f > 0 && 2*f < cells {
				c += complex(0, some[at])
				at++
			}
			d := cmplx.Abs(c - want[f]/complex(math.Sqrt(float64(cells)), 0))
			must.Be(t, d <= 1e-14, "frequency %d of %d cells is %v away", f, cells, d)
		}
		must.Be(t, len(some) == at, "%d data of %d cells, want %d", len(some), cells, at)
		var all []int
		for f := range cells/2 + 1 {
			all = append(all, f)
		}
		whole, energy := data(all), 0.0
		for k, v := range whole {
			twice := 2.0
			if k == 0 || cells%2 == 0 && k == cells-1 {
				twice = 1
			}
			energy += twice * v * v
		}
		must.Be(t, math.Abs(energy-squares) <= 1e-13*squares && len(whole) == cells,
			"energy %g of %d data, want %g of %d", energy, len(whole), squares, cells)
	}
}
