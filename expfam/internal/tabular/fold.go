package tabular

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Fold returns the form in which two names of an area are compared: composed letters (NFC), because some programs write
// é as one character and some as two, and one space between words.
func Fold(name string) string { return strings.Join(strings.Fields(norm.NFC.String(name)), " ") }
