package expfam

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/expfam/lab/expfam/internal/nodata"
)

// door has the words of one of the ways by which observations come in: the names of the data and of the known
// constants, and what to do where a number marks a missing y or a missing constant.
type door struct{ data, known, y, constant string }

// leave marks as missing every y that is NaN, and every y of 0 whose exposure or number of trials is NaN. It refuses
// any other y whose known constant is NaN. A family of other constants, such as a standard deviation, has no y that
// says that nothing was observed. It also refuses data without any y.
func (l Likelihood) leave(d Data, by door) (Data, error) {
	none, err := l.Family.Reduce(0, Given(0))
	blank := err == nil && none == Term{}
	missing, some := make([][]bool, len(d.Y)), false
	for i, row := range d.Y {
		missing[i] = make([]bool, len(row))
		for j, y := range row {
			unknown := math.IsNaN(d.known(i, j).Or(0))
			missing[i][j] = d.missing(i, j) || math.IsNaN(y) || unknown && y == 0 && blank
			some = some || !math.IsNaN(y)
			if unknown && !missing[i][j] {
				return d, l.refuse(d, i, j, fmt.Sprintf("y is %g and %s has no value there; give it one, or make y "+
					"NaN", y, by.known))
			}
		}
	}
	if !some {
		return d, fmt.Errorf("expfam: observe: none of the %d cells of %s has a value; give at least one",
			len(d.Y[0]), by.data)
	}
	d.Missing = missing
	return d, nil
}

// unmarked refuses data, or known constants, among which a number marks missing values, as the other values show.
func (l Likelihood) unmarked(d Data, by door) error {
	y, known, places := d.seen()
	for _, c := range []struct {
		name, remedy string
		values       []float64
	}{{"y", by.y, y}, {by.known, by.constant, known}} {
		if v, found := nodata.Among(c.values); found {
			at := places[slices.Index(c.values, v)]
			return l.refuse(d, at[0], at[1], fmt.Sprintf("%s is %g, far from all others: if %g marks a missing value, "+
				"%s; if it was observed, give Data.Missing, which then says what is missing", c.name, v, v,
				advice(c.remedy, v)))
		}
	}
	return nil
}

// hint returns what to add to the refusal of Y[i][j] if a number that files use for missing values is to blame.
func (by door) hint(d Data, i, j int) string {
	for _, c := range []struct {
		v      float64
		remedy string
	}{{d.Y[i][j], by.y}, {d.known(i, j).Or(0), by.constant}} {
		if nodata.Suspect(c.v) && !math.IsInf(c.v, 0) {
			return fmt.Sprintf("; if %g marks cells without a value, %s", c.v, advice(c.remedy, c.v))
		}
	}
	return ""
}

// advice puts the number into a remedy that names it.
func advice(remedy string, v float64) string { return strings.ReplaceAll(remedy, "%g", fmt.Sprint(v)) }

// refuse returns an error that blames Y[i][j].
func (l Likelihood) refuse(d Data, i, j int, reason string) error {
	name, _, _ := strings.Cut(l.Family.String(), "(")
	e := &InputError{Family: name, Reason: reason}
	l.locate(e, d, i, j)
	return e
}
