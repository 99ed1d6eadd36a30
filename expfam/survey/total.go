package survey

import (
	"fmt"
	"math"

	"github.com/expfam/lab/expfam/internal/tabular"
)

// totals finds rows that are sums of other rows: of the numbers examined and of positives alike. It keeps sums only, so
// that its memory does not grow with the table.
type totals struct {
	all, since pair
	rows       int
	top, end   pair // the first and the last row
	line       int  // of the first row
	named      bool // the first row has the name of a sum
}

// pair are the numbers of rows, of people examined and of positives.
type pair struct{ rows, examined, positive float64 }

func (p pair) plus(q pair, sign float64) pair {
	return pair{p.rows + sign*q.rows, p.examined + sign*q.examined, p.positive + sign*q.positive}
}

// is reports whether a row is the sum of others.
func (p pair) is(of pair) bool {
	return of.rows > 1 && of.examined > 0 && p.examined == of.examined && p.positive == of.positive
}

// add looks at a row that is used or filtered, and refuses one that is named as the sum of all rows above, or of those
// since the last sum, and that is it.
func (t *totals) add(record tabular.Record, d dialect) *fault {
	row := pair{rows: 1}
	for role, to := range map[int]*float64{examined: &row.examined, positive: &row.positive} {
		if v, missing, ok := number(d.cell(record.Cells, role), d); ok && !missing && v == math.Trunc(v) {
			*to = v
		}
	}
	named := ""
	for _, cell := range record.Cells {
		if tabular.Named(cell) {
			named = cell
		}
	}
	if named != "" && (row.is(t.all) || row.is(t.since)) {
		t.since = pair{}
		return summed(row, "above")
	}
	if t.rows++; t.rows == 1 {
		t.top, t.line, t.named = row, record.Line, named != ""
	}
	t.end = row
	t.all, t.since = t.all.plus(row, 1), t.since.plus(row, 1)
	return nil
}

func summed(row pair, where string) *fault {
	return &fault{sum, fmt.Sprintf("%.0f positive of %.0f examined are those of the rows %s together", row.positive,
		row.examined, where), "a sum is no survey: remove the row"}
}

// last returns the fault of the last row if both of its numbers are the sums of all others.
func (t *totals) last() *fault {
	if others := t.all.plus(t.end, -1); t.certain(t.end, others) {
		return summed(t.end, "above")
	}
	return nil
}

// first is an error if the first row is the sum of all others, which has been used when the last one is known.
func (t *totals) first() error {
	if others := t.all.plus(t.top, -1); t.certain(t.top, others) || t.named && t.top.is(others) {
		f := summed(t.top, "below")
		return fmt.Errorf("line %d: %s; %s", t.line, f.detail, f.hint)
	}
	return nil
}

// certain reports whether a row is the sum of others by its numbers alone: two numbers that agree by chance are rare,
// and small ones are not.
func (t *totals) certain(row, others pair) bool {
	return row.is(others) && others.rows >= 3 && row.positive > 0 && row.examined >= 10
}
