package survey

import (
	"math"
	"strconv"
	"strings"
)

// number reads the number in a cell. If commas do not separate the cells, a comma is a decimal
// point, as in many languages. missing reports a cell without a value, such as NA.
func number(cell string, comma rune) (v float64, missing, ok bool) {
	cell = strings.TrimSpace(cell)
	switch {
	case len(cell) > 4:
	case cell == "", cell == ".", cell == "-", strings.EqualFold(cell, "na"), strings.EqualFold(cell, "nan"),
		strings.EqualFold(cell, "n/a"), strings.EqualFold(cell, "null"), strings.EqualFold(cell, "none"):
		return 0, true, false
	}
	if len(cell) > 64 {
		return 0, false, false
	}
	if comma != ',' && strings.Count(cell, ",") == 1 && !strings.Contains(cell, ".") {
		cell = strings.Replace(cell, ",", ".", 1)
	}
	cell = strings.Replace(cell, "−", "-", 1)   // the typographic minus sign
	if strings.ContainsAny(cell, "xXpP_iInN") { // ParseFloat also takes hexadecimals and infinities
		return 0, false, false
	}
	v, err := strconv.ParseFloat(cell, 64)
	return v, false, err == nil && !math.IsInf(v, 0)
}

// thousands reports whether a cell has a separator before its last three digits. In a count
// such a separator may separate thousands as well as decimals. In a table separated by
// commas a point is always a decimal point.
func thousands(cell string, comma rune) bool {
	cell = strings.TrimSpace(cell)
	at := strings.LastIndexAny(cell, ",.")
	return at >= 1 && len(cell)-at == 4 && (comma != ',' || cell[at] == ',')
}

// wholeNumber reads a count.
func wholeNumber(name, cell string, comma rune) (int, *fault) {
	v, missing, ok := number(cell, comma)
	detail := func() string { return name + " is " + excerpt(cell) }
	switch {
	case missing:
		return 0, &fault{noCount, detail(), "a rate alone does not say how many people it is of; look the numbers up, or leave the row out"}
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
