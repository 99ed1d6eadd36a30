package nodata

import (
	"math"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// Marks stand apart from values; values that look like marks among others like them are values.
func TestAmong(t *testing.T) {
	elevations := []float64{-4, 0, 11, 350, 2990}
	for name, c := range map[string]struct {
		others []float64
		v      float64
		found  bool
	}{
		"sea":                  {elevations, -9999, true},
		"single precision":     {elevations, -3.4028234663852886e38, true},
		"its text":             {elevations, -3.40282347e38, true},
		"another text":         {elevations, -3.4e38, true},
		"CMIP":                 {elevations, 1e20, true},
		"CMIP in a float":      {elevations, float64(float32(1e20)), true},
		"netCDF":               {elevations, 9.969209968386869e36, true},
		"netCDF, printed":      {elevations, 9.96921e36, true},
		"Surfer":               {elevations, 1.70141e38, true},
		"doubles":              {elevations, -math.MaxFloat64, true},
		"int16":                {elevations, -32768, true},
		"uint16":               {elevations, 65535, true},
		"weather":              {[]float64{-12.5, 3, 31}, 9999, true},
		"surveys":              {[]float64{0, 0.2, 1}, -99, true},
		"a float of -99.9":     {[]float64{0, 0.2, 1}, float64(float32(-99.9)), true},
		"four values":          {[]float64{310}, -9999, true},
		"all":                  {[]float64{-9999, -9999}, -9999, true},
		"bathymetry":           {[]float64{-10900, -5000, 8000}, -9999, false},
		"a trench":             {[]float64{-9400, 100}, -9999, false},
		"large cities":         {[]float64{800, 40000, 70000}, 65535, false},
		"densities of plasma":  {[]float64{3e19, 8e19}, 1e20, false},
		"a frost":              {[]float64{-80, -3, 20}, -99, false},
		"incomes":              {[]float64{0, 100, 28500}, -99, true},
		"weights":              {[]float64{100, 28500}, -999, true},
		"near a salt lake":     {[]float64{100, 28500}, -77, false},
		"losses":               {[]float64{-500, 900, 30}, -999, false},
		"temperatures":         {[]float64{3, 8}, -9, false},
		"a negative one":       {[]float64{0, 1}, -1, false},
		"one value":            {nil, -9999, false},
		"NaN beside":           {[]float64{math.NaN(), 3}, 4, false},
		"a count in the range": {[]float64{4000, 12000}, 9999, false},
	} {
		mark, found := Among(append([]float64{c.v}, c.others...))
		must.Be(t, found == c.found && (!found || mark == c.v), "%s: %g, %v; want %v", name, mark, found, c.found)
	}
	for v, want := range map[float64]bool{-1: true, -9: true, -99: true, -9999: true, -32768: true, -1e10: true,
		-3.4028234663852886e38: true, -3.4e38: true, -2: false, 0: false, 7: false, -100: false} {
		must.Equal(t, Suspect(v), want, v)
	}
}
