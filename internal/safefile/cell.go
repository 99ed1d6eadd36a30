package safefile

import (
	"strconv"
	"strings"
)

// Cell returns a text for a cell of a table in CSV. One that a spreadsheet would take for a formula, such as =1+1, gets
// an apostrophe in front. Numbers stay as they are.
func Cell(s string) string {
	if s == "" || !strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return s
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return s
	}
	return "'" + s
}
