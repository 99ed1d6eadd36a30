package lab_test

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/expfam/lab/internal/must"
)

// rawText reports which lines of a source lie in a raw string, whose line breaks belong to its value, or in the output
// of an example.
func rawText(source []byte) map[int]bool {
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, scanner.ScanComments)
	raw, output := map[int]bool{}, 0
	for {
		pos, kind, text := s.Scan()
		line := file.Line(pos)
		switch {
		case kind == token.EOF:
			return raw
		case kind == token.STRING && text[0] == '`':
			for i := range strings.Count(text, "\n") + 1 {
				raw[line+i] = true
			}
		case kind == token.COMMENT && (strings.HasPrefix(text, "// Output:") || output > 0 && output == line-1):
			raw[line], output = true, line
		}
	}
}

// TestWidth: no line of Go has more than 120 columns, with four for a tab. Addresses on the web, commands and raw
// strings cannot be broken.
func TestWidth(t *testing.T) {
	must.Do(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		source, err := os.ReadFile(path)
		raw := rawText(source)
		for i, line := range strings.Split(string(source), "\n") {
			columns := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
			must.Be(t, columns <= 120 || raw[i+1] || strings.Contains(line, "://") ||
				strings.HasPrefix(line, "//go:") || strings.HasPrefix(line, "//\t"),
				"%s:%d has %d columns; 120 is the most", path, i+1, columns)
		}
		return err
	}))
}
