package cell

import (
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mostFiles is how many names of files are suggested.
const mostFiles = 200

// files returns the names of files with which a text in quotes could go on at an offset of the code, and the offset at
// which the last part of the path begins; is tells whether the offset is inside of quotes.
func files(code string, at int) (names []string, from int, is bool) {
	open := -1
	all, _ := lexemes(code)
	for _, l := range all {
		if l.tok == token.STRING && l.from < at && (at < l.to || at == l.to && (l.to == l.from+1 ||
			code[l.to-1] != code[l.from])) {
			open = l.from + 1
		}
	}
	if open < 0 || strings.ContainsAny(code[open:at], "\n\"`\\") {
		return nil, at, false
	}
	typed := code[open:at]
	dir, base := "", typed
	if slash := strings.LastIndexByte(typed, '/'); slash >= 0 {
		dir, base = typed[:slash+1], typed[slash+1:]
	}
	entries, err := os.ReadDir(filepath.Join(".", dir))
	if filepath.IsAbs(dir) {
		entries, err = os.ReadDir(dir)
	}
	if err != nil {
		return nil, at, true
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, base) || strings.HasPrefix(name, ".") && !strings.HasPrefix(base, ".") {
			continue
		}
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.IsDir() {
			name += "/"
		}
		if names = append(names, name); len(names) == mostFiles {
			break
		}
	}
	slices.Sort(names)
	return names, at - len(base), true
}
