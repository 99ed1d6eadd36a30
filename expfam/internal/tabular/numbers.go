package tabular

import (
	"fmt"
	"strings"
)

// Numbers reads the numbers of a table, and remembers what their dots and commas tell.
type Numbers struct {
	// Separator and Decimal are as in [Number].
	Separator, Decimal rune

	first [6]*place // of each form, in the order of the constants
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
	for i := range n.first {
		if ok && form&(1<<i) != 0 && n.first[i] == nil {
			n.first[i] = &place{strings.Clone(strings.TrimSpace(text)), line, column}
		}
	}
	return v, ok
}

// Check refuses numbers that may be read in two ways, as 1.234 in a table in which no other number tells whether a dot is
// a decimal point, and numbers whose dots and commas contradict each other.
func (n *Numbers) Check() error {
	at := func(form Form) *place {
		for i, p := range n.first {
			if form == 1<<i {
				return p
			}
		}
		return nil
	}
	for _, pair := range [][2]Form{{DotDecimal, CommaDecimal}, {DotThousands, CommaThousands}, {DotDecimal, DotThousands}, {CommaDecimal, CommaThousands}} {
		if a, b := at(pair[0]), at(pair[1]); a != nil && b != nil && a != b {
			return fmt.Errorf("%v and %v have different decimal marks, or one has separators of thousands; write all with a decimal point and without separators", a, b)
		}
	}
	for _, mark := range []struct {
		name            string
		either, decimal Form
		own, other      rune
	}{{"dots", DotEither, DotDecimal, '.', ','}, {"commas", CommaEither, CommaDecimal, ',', '.'}} {
		if p := at(mark.either); p != nil && at(mark.decimal) == nil {
			return fmt.Errorf("%v may be thousands or a fraction; set Decimal to %q if %s separate thousands, or to %q if they are decimal marks", p, mark.other, mark.name, mark.own)
		}
	}
	return nil
}
