package tabular

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Fold returns the form in which two names of an area are compared: composed letters (NFC), because some programs write
// é as one character and some as two, and one space between words.
func Fold(name string) string { return strings.Join(strings.Fields(norm.NFC.String(name)), " ") }

// Text returns a text for a cell of a table. One that a spreadsheet would take for a formula gets an apostrophe in
// front.
func Text(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}
