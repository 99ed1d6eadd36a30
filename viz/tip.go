package viz

import "fmt"

// Tip is a number of every cell of a map that the pointer is told, beside its
// value.
type Tip struct {
	Name string
	// Values are in the order of [Map.Held]; NaN is left out.
	Values []float64
	// Words are what the values number, from 0, as the names of countries. Nil: the
	// values are what is told.
	Words []string
}

// readTips puts the values into the order in which cells are drawn.
func (t *tile) readTips() error {
	tips := make([]Tip, len(t.Tips))
	for k, tip := range t.Tips {
		if len(tip.Values) != len(t.z) {
			return fmt.Errorf("tip %q has %d values for %d columns and %d rows", clean(tip.Name), len(tip.Values), t.cols, t.rows)
		}
		tips[k] = Tip{clean(tip.Name), pick(tip.Values, t.index), cleanAll(tip.Words)}
	}
	t.Tips = tips
	return nil
}
