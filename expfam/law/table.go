package law

import (
	"fmt"
	"math"
)

// Table is a law that is known by its numbers at equally spaced scores from −[Most] to Most, linear between them. A
// trained network keeps the laws of its parameters in this form.
type Table struct {
	Name   string // text of the law
	Values []float64
}

// Tabulate returns the table of a law. A law that is a table is returned as it is.
func Tabulate(l Law) Table {
	if t, ok := l.(Table); ok {
		return t
	}
	const step = 1. / 32
	t := Table{Name: Text(l)}
	for s := -float64(Most); s <= Most; s += step {
		t.Values = append(t.Values, At(l, s))
	}
	return t
}

// Quantile implements [Law].
func (t Table) Quantile(p float64) float64 { return t.atScore(-math.Sqrt2 * math.Erfcinv(2*p)) }

// Check refuses a table of fewer than two numbers, or of one that is not finite.
func (t Table) Check() error {
	if len(t.Values) < 2 {
		return fmt.Errorf("%s: a table of %d numbers; give at least two, at equally spaced scores", t.Name,
			len(t.Values))
	}
	for k, v := range t.Values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%s: a table of which number %d is %g; give finite numbers", t.Name, k, v)
		}
	}
	return nil
}

// atScore returns the number at a score, and NaN at NaN.
func (t Table) atScore(score float64) float64 {
	if math.IsNaN(score) {
		return score
	}
	n := len(t.Values) - 1
	at := math.Max(0, math.Min((score+Most)/(2*Most), 1)) * float64(n)
	k := min(int(at), n-1)
	return t.Values[k] + (at-float64(k))*(t.Values[k+1]-t.Values[k])
}

func (t Table) String() string { return t.Name }
