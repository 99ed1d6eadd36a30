package survey

import (
	"math"
	"strings"

	"github.com/expfam/lab/expfam/internal/tabular"
)

// number reads the number in a cell. If commas do not separate the cells, a comma is a decimal
// point, as in many languages. missing reports a cell without a value, such as NA.
func number(cell string, comma rune) (v float64, missing, ok bool) {
	if t := strings.TrimSpace(cell); tabular.Missing(t) || t == "." || t == "-" {
		return 0, true, false
	}
	v, _, ok = tabular.Number(cell, comma, 0)
	return v, false, ok
}

// thousands reports whether a mark of a cell may separate thousands as well as decimals. In a table separated by
// commas a point is always a decimal point.
func thousands(cell string, comma rune) bool {
	_, form, _ := tabular.Number(cell, comma, 0)
	return form&(tabular.DotEither|tabular.CommaEither) != 0
}

// wholeNumber reads a count.
func wholeNumber(name, cell string, comma rune) (int, *fault) {
	v, missing, ok := number(cell, comma)
	detail := func() string { return name + " is " + excerpt(cell) }
	switch {
	case missing:
		return 0, &fault{noCount, detail(), "a rate alone does not say how many people it is of; look the numbers " +
			"up, or leave the row out"}
	case thousands(cell, comma):
		return 0, &fault{badCount, detail(), "this may be thousands or a fraction; write counts without separators"}
	case !ok:
		return 0, &fault{badCount, detail(), "write a whole number in digits"}
	case v != math.Trunc(v):
		return 0, &fault{fraction, detail(), "give the number of people, neither a rate nor an estimate"}
	case math.Abs(v) > maxExamined:
		return 0, &fault{tooMany, detail(), "more than 10⁹ people; check the column"}
	}
	return int(v), nil
}
