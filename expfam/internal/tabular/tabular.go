// Package tabular recognises tables of text, and other files that people give in their place.
package tabular

import (
	"bytes"
	"errors"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// ErrEmpty is the error of a file without text.
var ErrEmpty = errors.New("the file is empty")

// Check looks at the beginning of a file. If that is no table in UTF-8, the error says what the file is and what to do.
func Check(head []byte) error {
	text := bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\ufeff")))
	switch {
	case len(text) == 0:
		return ErrEmpty
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("\xd0\xcf\x11\xe0")):
		return errors.New("this is a spreadsheet or an archive; save the sheet as CSV, or unpack it")
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		return errors.New("this is compressed; unpack it with gunzip")
	case bytes.HasPrefix(head, []byte("CDF")), bytes.HasPrefix(head, []byte("\x89HDF")):
		return errors.New("this is NetCDF or HDF5; write a map of it as GeoTIFF, as by rio.to_raster of rioxarray, " +
			"or a table as CSV")
	case bytes.HasPrefix(head, []byte("PAR1")), bytes.HasPrefix(head, []byte("SQLite format 3")):
		return errors.New("this is a database; read districts and places by package geoparquet or geopackage, and " +
			"save another table as CSV")
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return errors.New("this is UTF-16; save it as UTF-8")
	case bytes.IndexByte(head, 0) >= 0:
		return errors.New("this is no text; save the table as CSV in UTF-8")
	case text[0] == '<':
		return errors.New("this is a web page or XML, perhaps an error message of the server; open it to see")
	case text[0] == '{' || text[0] == '[':
		return errors.New("this is JSON; ask for CSV")
	case bytes.IndexByte(text, '\n') < 0 && bytes.IndexByte(text, '\r') >= 0:
		return errors.New("lines end in CR alone; save it with LF")
	}
	return nil
}

// Commas holds the separators of the columns of tables, the most common first.
var Commas = []rune{',', ';', '\t', '|'}

// Comma returns the separator that occurs most often in the first line that is no comment, outside of quotes, or a
// comma if the line has no separator. One that occurs as often in the next line goes before others, as of names with
// commas between semicolons. Where another separator parts the line into numbers with decimal commas, it is that
// separator.
func Comma(head []byte) rune {
	line, rest := firstLine(head)
	next, _ := firstLine(rest)
	best, most, agrees := ',', 0, false
	for _, c := range Commas {
		n := outside(line, c)
		if same := outside(next, c) == n; n > 0 && (same && !agrees || same == agrees && n > most) {
			best, most, agrees = c, n, same
		}
	}
	if best == ',' {
		for _, c := range Commas[1:] {
			if bytes.ContainsRune(line, c) && decimals(bytes.Split(line, []byte(string(c)))) {
				return c
			}
		}
	}
	return best
}

// firstLine returns the first line that is no comment, and what comes after it.
func firstLine(head []byte) (line, rest []byte) {
	for more := true; more; {
		line, head, more = bytes.Cut(head, []byte("\n"))
		if text := bytes.TrimSpace(line); len(text) > 0 && text[0] != '#' {
			break
		}
	}
	return line, head
}

// outside counts a separator outside of quotes, or everywhere if a quote has no end.
func outside(line []byte, separator rune) (n int) {
	parts := bytes.Split(line, []byte(`"`))
	for i, part := range parts {
		if i%2 == 0 || len(parts)%2 == 0 {
			n += bytes.Count(part, []byte(string(separator)))
		}
	}
	return n
}

// decimals reports whether every comma of a line belongs to a number, given the fields of the line.
func decimals(fields [][]byte) bool {
	for _, f := range fields {
		if _, _, ok := Number(string(f), ';', 0); !ok && bytes.ContainsRune(f, ',') {
			return false
		}
	}
	return true
}

// Sep returns the separator that a first line such as sep=; gives, as some spreadsheets write it, and the number of
// bytes of that line. Both are 0 if there is no such line.
func Sep(head []byte) (separator rune, size int) {
	first, _, more := bytes.Cut(head, []byte("\n"))
	line := bytes.Trim(bytes.TrimRight(first, "\r"), "\"")
	if !more || len(line) != 5 || !bytes.EqualFold(line[:4], []byte("sep=")) {
		return 0, 0
	}
	return rune(line[4]), len(first) + 1
}

// Fold returns the form in which two names of an area are compared: composed letters (NFC), because some programs write
// é as one character and some as two, and one space between words.
func Fold(name string) string { return strings.Join(strings.Fields(norm.NFC.String(name)), " ") }
