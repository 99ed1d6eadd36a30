package tabular

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Form says what the dots and commas of a number are, if they tell.
type Form uint8

// A mark before exactly three digits, such as that of 1.234, is either a decimal mark or separates thousands.
const (
	DotDecimal Form = 1 << iota
	CommaDecimal
	DotThousands
	CommaThousands
	DotEither
	CommaEither
)

// Missing reports whether a cell says that it has no value: it is empty, NA, N/A, NaN, null or none.
func Missing(cell string) bool {
	cell = strings.TrimSpace(cell)
	switch len(cell) {
	case 0:
		return true
	case 2, 3, 4:
		switch strings.ToLower(cell) {
		case "na", "n/a", "nan", "-nan", "null", "none":
			return true
		}
	}
	return false
}

// Dash reports whether a cell is a dash or a point, as tables have for zero or for no value.
func Dash(cell string) bool {
	cell = strings.TrimSpace(cell)
	return cell != "" && strings.Trim(cell, "-–—−.…:") == "" && len(cell) <= 6
}

// DashHint says what to do with such a cell.
const DashHint = "it may stand for 0 or for no value: write 0, or leave it empty where there is no value"

// Number reads a decimal number, such as -1.5, 1e-3, 12,5, 1.234,5, 1'234 and 1 234 567. Its thousands may be separated
// by dots, commas, apostrophes or spaces. Separator parts the cells of the table, and is 0 in a table of one column,
// where a space may part cells as well. In a table whose cells are parted by commas a dot is always a decimal point.
// Decimal is the decimal mark, '.' or ',', or 0 if it is not known. Then the value of a number of the forms
// [DotEither] and [CommaEither] is that with a decimal mark.
func Number(cell string, separator, decimal rune) (v float64, form Form, ok bool) {
	cell = strings.TrimSpace(cell)
	if cell == "" || len(cell) > 64 {
		return 0, 0, false
	}
	sign := ""
	for _, minus := range []string{"-", "−", "+"} { // the second is the typographic minus sign
		if rest, found := strings.CutPrefix(cell, minus); found {
			cell = rest
			if minus != "+" {
				sign = "-"
			}
			break
		}
	}
	mantissa, exponent, power := cell, "", false
	if at := strings.IndexAny(cell, "eE"); at >= 0 {
		mantissa, exponent, power = cell[:at], "e"+cell[at+1:], true
		if digits := strings.TrimLeft(cell[at+1:], "+-"); len(cell)-at-1-len(digits) > 1 || !isDigits(digits) {
			return 0, 0, false
		}
	}
	digits, form, ok := marks(mantissa, separator, decimal, power)
	if !ok {
		return 0, 0, false
	}
	v, err := strconv.ParseFloat(sign+digits+exponent, 64)
	return v, form, err == nil
}

// marks returns the digits of a mantissa without separators of thousands and with a decimal point, and the form of the
// mantissa.
func marks(text string, separator, decimal rune, power bool) (digits string, form Form, ok bool) {
	var runsOf [8]string
	var betweenOf [8]rune
	runs, between, rest := runsOf[:0], betweenOf[:0], text // runs are of digits
	for {
		n := 0
		for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		runs, rest = append(runs, rest[:n]), rest[n:]
		if rest == "" {
			break
		}
		r, size := utf8.DecodeRuneInString(rest)
		if !strings.ContainsRune(".,'’ \u00a0\u2009\u202f", r) || r == ' ' && separator == 0 {
			return "", 0, false
		}
		between, rest = append(between, r), rest[size:]
	}
	n := len(between)
	if n == 0 {
		return text, 0, text != ""
	}
	last, group := between[n-1], between[0]
	grouped := !power && isGrouped(runs)
	isMark := last == '.' || last == ','
	switch {
	case n == 1 && isMark && decimal == 0:
		form = formOf(last, DotDecimal, CommaDecimal)
		if grouped && (last == ',' || separator != ',') {
			form = formOf(last, DotEither, CommaEither)
		}
	case n == 1 && isMark && last == decimal:
	case same(between): // all separate thousands
		if !grouped || group == decimal {
			return "", 0, false
		}
		return strings.Join(runs, ""), formOf(group, DotThousands, CommaThousands), true
	case same(between[:n-1]) && isMark && isGrouped(runs[:n]) && !power && (decimal == 0 || decimal == last):
		form = formOf(group, DotThousands, CommaThousands) | formOf(last, DotDecimal, CommaDecimal)
	default:
		return "", 0, false
	}
	whole := strings.Join(runs[:n], "")
	return whole + "." + runs[n], form, whole+runs[n] != ""
}

// isGrouped reports whether runs of digits are the thousands of a number.
func isGrouped(runs []string) bool {
	for i, run := range runs {
		if i == 0 && (len(run) < 1 || len(run) > 3 || run[0] == '0') || i > 0 && len(run) != 3 {
			return false
		}
	}
	return len(runs) > 1
}

func same(marks []rune) bool { return len(slices.Compact(slices.Clone(marks))) < 2 }

func formOf(mark rune, dot, comma Form) Form {
	switch mark {
	case '.':
		return dot
	case ',':
		return comma
	}
	return 0
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
