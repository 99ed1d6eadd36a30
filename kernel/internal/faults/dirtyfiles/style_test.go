package dirtyfiles

import "strings"

// style writes the digits of a number with other marks.
type style struct{ separator, decimal, thousands string }

func (s style) number(digits string) string {
	whole, part, _ := strings.Cut(digits, ".")
	for at := len(whole) - 3; at > 0 && s.thousands != ""; at -= 3 {
		whole = whole[:at] + s.thousands + whole[at:]
	}
	if part != "" {
		whole += s.decimal + part
	}
	if s.thousands == s.separator && strings.Contains(whole, s.separator) || s.decimal == s.separator && part != "" {
		whole = `"` + whole + `"`
	}
	return whole
}

// rows joins cells into lines.
func (s style) rows(rows ...[]string) string {
	lines := make([]string, len(rows))
	for i, r := range rows {
		lines[i] = strings.Join(r, s.separator)
	}
	return strings.Join(lines, "\n") + "\n"
}

// digits are the numbers of a table in four kinds.
var digits = map[string][4]string{
	"whole":       {"1234", "850", "12000", "97"},
	"hundredths":  {"1234.25", "850.50", "12000.00", "97.75"},
	"thousandths": {"1.234", "8.503", "1.200", "9.701"},
	"large":       {"9007199254740993", "850", "12000", "97"},
}

// plain reports whether every reader must read numbers of a kind.
func (s style) plain(kind string) bool {
	switch [2]string{s.decimal, s.thousands} {
	case [2]string{".", ""}:
		return kind == "whole" || kind == "hundredths" || kind == "thousandths" && s.separator == ","
	case [2]string{",", ""}:
		return kind == "hundredths" && s.separator != ","
	}
	return false
}
