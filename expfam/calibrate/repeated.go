package calibrate

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// Repeated are numbers by name over repetitions of an experiment: data sets, or
// splits of one. The zero value is ready for Add.
type Repeated struct {
	Values map[string][]float64 // one a repetition
	// Ratio is of cells held out to cells seen for splits of one data set, and 0
	// for independent data sets. Splits share data, and scatter less than new
	// data would: standard errors are √(1/J + Ratio) times the standard
	// deviation over J splits (Nadeau & Bengio 2003).
	Ratio float64
}

// Add appends a repetition, which has a value for every name.
func (r *Repeated) Add(values map[string]float64) error {
	if r.Values == nil {
		r.Values = make(map[string][]float64)
		for name := range values {
			r.Values[name] = nil
		}
	}
	if len(values) != len(r.Values) {
		return fmt.Errorf("calibrate: a repetition has the values %v, the first one had %v", slices.Sorted(maps.Keys(values)), r.Names())
	}
	for name := range values {
		if _, ok := r.Values[name]; !ok {
			return fmt.Errorf("calibrate: a repetition has a value %q, the first one had %v", name, r.Names())
		}
	}
	for name, v := range values {
		r.Values[name] = append(r.Values[name], v)
	}
	return nil
}

// Names are the names in alphabetical order.
func (r *Repeated) Names() []string { return slices.Sorted(maps.Keys(r.Values)) }

// Mean is the mean over repetitions; NaN for an unknown name.
func (r *Repeated) Mean(name string) Estimate { return r.estimate(r.Values[name]) }

// Difference is the mean of a − b: with its own standard error, as what
// repetitions share cancels.
func (r *Repeated) Difference(a, b string) Estimate {
	x, y := r.Values[a], r.Values[b]
	d := make([]float64, min(len(x), len(y)))
	for k := range d {
		d[k] = x[k] - y[k]
	}
	return r.estimate(d)
}

func (r *Repeated) estimate(x []float64) Estimate {
	mean, sd := stat.MeanStdDev(x, nil)
	return Estimate{mean, sd * math.Sqrt(1/float64(len(x))+r.Ratio), len(x)}
}

// String is a line a name.
func (r *Repeated) String() string {
	var b strings.Builder
	for _, name := range r.Names() {
		fmt.Fprintf(&b, "%-24s %v\n", name, r.Mean(name))
	}
	return b.String()
}
