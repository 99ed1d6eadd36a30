package viz

import "fmt"

// Tip is a number of every cell of a map that is shown under the pointer, beside the
// cell's value.
type Tip struct {
	Name string
	// Values are in the order of [Map.Held]; NaN is left out.
	Values []float64
	// At returns the value of cell j. It takes the place of Values.
	At func(j int) float64
	// Words are shown instead of the values, for example the names of countries. A value is then the index of its
	// word, counted from 0. Nil: the values are shown.
	Words []string
}

// readTips checks the tips and puts their values into drawing order.
func (t *tile) readTips() error {
	tips := make([]Tip, len(t.Tips))
	for k, tip := range t.Tips {
		if tip.At != nil {
			if tip.Values != nil {
				return fmt.Errorf("tip %q has Values and At; leave one of the two out", clean(tip.Name))
			}
			tip.Values = tabulate(len(t.z), tip.At)
		}
		if len(tip.Values) != len(t.z) {
			return fmt.Errorf("tip %q has %d values for %d columns and %d rows", clean(tip.Name), len(tip.Values),
				t.cols, t.rows)
		}
		tips[k] = Tip{Name: clean(tip.Name), Values: pick(tip.Values, t.index), Words: cleanAll(tip.Words)}
	}
	t.Tips = tips
	return nil
}

// tabulate returns the values of a function at 0 … n−1.
func tabulate(n int, at func(j int) float64) []float64 {
	out := make([]float64, n)
	for j := range out {
		out[j] = at(j)
	}
	return out
}
