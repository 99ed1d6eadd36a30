package grid

import (
	"math"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/must"
)

func TestSpectrumOfAWaveIsAtItsFrequency(t *testing.T) {
	g := Grid{Rows: 32, Cols: 48}
	x := make([]float64, g.Len())
	for j := range x {
		r, _ := g.Cell(j)
		x[j] = 5 + math.Sin(2*math.Pi*7*float64(r)/32)
	}
	frequency, power := must.Get2(Spectrum(g, x))(t)
	var all, near float64
	for k, f := range frequency {
		all += power[k] * f
		if math.Abs(f-7) <= 2 { // a Hann window reaches one frequency to each side
			near += power[k] * f
		}
	}
	if share := near / all; share < 0.999 {
		t.Errorf("%.4f of the power is at the frequency of the wave", share)
	}
}

func TestSpectrumOfWhiteNoiseIsFlat(t *testing.T) {
	g := Grid{Rows: 24, Cols: 24}
	rng := expfam.Stream(1, "spectrum")
	const draws = 400
	sum := make([]float64, 12)
	for range draws {
		x := make([]float64, g.Len())
		for j := range x {
			x[j] = 3 * rng.NormFloat64()
		}
		_, power := must.Get2(Spectrum(g, x))(t)
		for k, p := range power {
			sum[k] += p / draws
		}
	}
	for k, p := range sum {
		// Of the frequencies of a ring the window leaves at least two independent:
		// an error of 1/√800 of the mean, five times.
		must.Be(t, k <= 0 || math.Abs(p/9-1) <= 0.18, "ring %d has power %.3f, the noise 9", k+1, p)
	}
}

func TestSpectrumRefuses(t *testing.T) {
	g := Grid{Rows: 8, Cols: 8}
	x := make([]float64, 64)
	x[3] = math.NaN()
	for name, err := range map[string]error{
		"NaN":       second(Spectrum(g, x)),
		"cells":     second(Spectrum(g, x[:9])),
		"too small": second(Spectrum(Grid{Rows: 2, Cols: 8}, x[:16])),
	} {
		must.Be(t, err != nil, "%s: no error", name)
	}
}

func second(_, _ []float64, err error) error { return err }
