package survey

import "strings"

// rate returns the fault f of a row, or that its number of positives, the text of a cell, is a rate of 0 or 1 that
// looks like a count, such as 1.00: it is written with decimals, or no row has more than 1, and other rows of the table
// have rates between.
func (r *Report) rate(s Site, filter string, f *fault, cell string) *fault {
	switch {
	case f != nil:
		r.rates = r.rates || f.reason == fraction && strings.HasPrefix(f.detail, "positive is ")
	case filter == "" && r.rates && s.Positive <= 1 && (r.shares || strings.ContainsAny(cell, ".,")):
		return &fault{fraction, "positive is " + excerpt(cell),
			"other rows have rates there; give the number of people, neither a rate nor an estimate"}
	case filter == "" && s.Positive > 1:
		r.counted = true
	}
	return f
}
