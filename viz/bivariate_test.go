package viz

import (
	"math"
	"testing"

	"github.com/expfam/lab/internal/must"
)

func bivariate() Bivariate {
	m := insetIsland()
	m.Scale = &Scale{Label: "median", Min: 20, Max: 60}
	spread := make([]float64, 24)
	for j := range spread {
		spread[j] = float64(j % 5)
	}
	return Bivariate{Map: m, Uncertainty: spread, Label: "interquartile range"}
}

func TestBivariateGolden(t *testing.T) {
	s := must.Get(bivariate().layout())(t)
	goldenAtlas(t, "bivariate", s)
	for _, format := range []Format{HTML, PNG, PDF, Text} {
		must.Get(bivariate().Encode(format))(t)
	}
}

// What is certain has eight values, each level above half as many; the ends of both scales belong to the last bins.
func TestBivariateBins(t *testing.T) {
	k := &bivariateKey{most: 4}
	for _, c := range []struct {
		share, spread float64
		level, bin    int
	}{{0, 0, 0, 0}, {1, 0, 0, 7}, {0.5, 0.99, 0, 4}, {0.5, 1, 1, 2}, {1, 2, 2, 1}, {0.2, 2.5, 2, 0}, {0.9, 4, 3, 0},
		{0.9, 9, 3, 0}, {-1, 0, 0, 0}} {
		level, bin := k.bin(c.share, c.spread)
		must.Be(t, level == c.level && bin == c.bin,
			"share %g, spread %g: level %d, bin %d; want %d, %d", c.share, c.spread, level, bin, c.level, c.bin)
	}
}

// Colours of one level differ from their neighbours for all who see grey only, and by less the more uncertain they are.
func TestBivariateOrder(t *testing.T) {
	k := &bivariateKey{colours: &colours{Scale: Scale{Palette: Viridis}}}
	last := math.Inf(1)
	for level := range bivariateLevels {
		n := 1 << (bivariateLevels - 1 - level)
		for bin := 1; bin < n; bin++ {
			must.Be(t, luminance(k.at(level, bin)) >= luminance(k.at(level, bin-1))+0.03,
				"level %d: bin %d is hardly brighter than the one before", level, bin)
		}
		if range_ := luminance(k.at(level, n-1)) - luminance(k.at(level, 0)); range_ >= last {
			t.Errorf("level %d spans %g of brightness, the one below %g", level, range_, last)
		} else {
			last = range_
		}
	}
}

// Cells that do not belong to the map need no uncertainty.
func TestBivariateBlank(t *testing.T) {
	v := bivariate()
	v.Map.Blank = make([]bool, 24)
	v.Map.Blank[3], v.Uncertainty[3] = true, math.NaN()
	must.Get(v.Encode(SVG))(t)
}

// The ends of a legend from 280 to 305 are not both 3e+02.
func TestBivariateLabels(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.126: "0.13", -42.4: "−42", 99.4: "99", 99.6: "100", 292.6: "293",
		1013: "1013", -120: "−120", 123456: "1.2e+05"} {
		must.Equal(t, twoDecimals(v), want, v)
	}
}

func TestBivariateErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Bivariate)
		want   string
	}{
		{"no field", func(v *Bivariate) { v.Map.Field = nil }, "bivariate: no field; give Map a Field"},
		{"cells", func(v *Bivariate) { v.Uncertainty = v.Uncertainty[1:] },
			"bivariate: 23 uncertainties for a map of 24 cells"},
		{"negative", func(v *Bivariate) { v.Uncertainty[8] = -1 },
			"bivariate: the uncertainty of cell 8 is -1; give finite ones that are not negative"},
		{"blank", func(v *Bivariate) { v.Map.Blank = make([]bool, 3) },
			"bivariate: 3 cells of Blank for 6 columns and 4 rows"},
		{"most", func(v *Bivariate) { v.Most = -1 },
			"bivariate: uncertainties up to -1; Most must be positive and finite"},
		{"log", func(v *Bivariate) { v.Map.Scale.Log = true },
			"bivariate: a scale that is logarithmic or diverging; give a linear one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := bivariate()
			c.change(&v)
			_, err := v.Encode(SVG)
			must.Be(t, err != nil && err.Error() == c.want, "got  %v\nwant %s", err, c.want)
		})
	}
}
