package tabular

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Numbers reads the numbers of a table, and remembers what their dots and commas tell.
type Numbers struct {
	// Separator and Decimal are as in [Number].
	Separator, Decimal rune

	first [6]*place // of each form, in the order of the constants
	lost  *place    // the first whole number that float64 does not hold
	// In a table whose cells are parted by commas, grouped is the first number such as 1.234. The others report numbers
	// that make such dots more likely to separate thousands, or that tell that they do not.
	grouped                *place
	small, large, fraction bool
}

// place is a cell.
type place struct {
	text         string
	line, column int
}

func (p place) String() string {
	return fmt.Sprintf("line %d, column %d: %q", p.line, p.column, p.text)
}

// Read reads the number in a cell. It reports false if there is none.
func (n *Numbers) Read(text string, line, column int) (v float64, ok bool) {
	v, form, ok := Number(text, n.Separator, n.Decimal)
	if !ok {
		return v, false
	}
	mark := func(at **place) {
		if *at == nil {
			*at = &place{strings.Clone(strings.TrimSpace(text)), line, column}
		}
	}
	for i := range n.first {
		if form&(1<<i) != 0 {
			mark(&n.first[i])
		}
	}
	if !holds(text, v, form) {
		mark(&n.lost)
	}
	if n.Separator == ',' {
		switch _, other, _ := Number(text, ';', n.Decimal); {
		case other == DotEither:
			mark(&n.grouped)
		case form != 0:
			n.fraction = true
		case math.Abs(v) < 1000:
			n.small = true
		default:
			n.large = true
		}
	}
	return v, true
}

// Cell returns the number in a cell, NaN if the cell says that it has no value. It reports false if there is neither.
func (n *Numbers) Cell(text string, line, column int) (v float64, ok bool) {
	if Missing(text) {
		return math.NaN(), true
	}
	return n.Read(text, line, column)
}

// holds reports whether float64 holds a number that is written as a whole one.
func holds(text string, v float64, form Form) bool {
	if math.Abs(v) < 1<<53 || form&^(DotThousands|CommaThousands) != 0 || strings.ContainsAny(text, "eE") {
		return true
	}
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
	return strconv.FormatFloat(math.Abs(v), 'f', 0, 64) == strings.TrimLeft(digits, "0")
}

// Check refuses numbers that may be read in two ways, as 1.234 in a table in which no other number tells whether a dot
// is a decimal point, and numbers whose dots and commas contradict each other. Where commas part the cells, it takes
// dots for decimal points, unless all have three digits behind them and stand beside whole numbers that are all below
// 1000. It also refuses whole numbers that float64 does not hold, as identifiers may be.
func (n *Numbers) Check() error {
	if n.lost != nil {
		return fmt.Errorf("%v has more digits than float64 holds, which loses the last ones, as of an identifier; "+
			"read another column, or leave it out", n.lost)
	}
	at := func(form Form) *place { return n.first[bits.TrailingZeros8(uint8(form))] }
	for _, pair := range [][2]Form{{DotDecimal, CommaDecimal}, {DotThousands, CommaThousands},
		{DotDecimal, DotThousands}, {CommaDecimal, CommaThousands}} {
		if a, b := at(pair[0]), at(pair[1]); a != nil && b != nil && a != b {
			return fmt.Errorf("%v and %v have different decimal marks, or one has separators of thousands; write all "+
				"with a decimal point and without separators", a, b)
		}
	}
	for _, mark := range []struct {
		name            string
		either, decimal Form
		own, other      rune
	}{{"dots", DotEither, DotDecimal, '.', ','}, {"commas", CommaEither, CommaDecimal, ',', '.'}} {
		if p := at(mark.either); p != nil && at(mark.decimal) == nil {
			return fmt.Errorf("%v may be thousands or a fraction; set Decimal to %q if %s separate thousands, or to "+
				"%q if they are decimal marks", p, mark.other, mark.name, mark.own)
		}
	}
	if n.grouped != nil && n.Decimal == 0 && n.small && !n.large && !n.fraction {
		return fmt.Errorf("%v may be thousands or a fraction; set Decimal to ',' if dots separate thousands, or to "+
			"'.' if they are decimal marks", n.grouped)
	}
	return nil
}
