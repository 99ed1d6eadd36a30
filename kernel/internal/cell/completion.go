package cell

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Complete reports whether a text is a whole cell: "complete", "invalid", or "incomplete". For the last it also returns
// the indentation of the line to come.
func Complete(text string) (status, indent string) {
	s := read(text)
	if s.raw && s.code == "" {
		return "complete", ""
	}
	depth := 0
	all, problems := lexemes(s.code)
	for _, l := range all {
		depth += bracket(l.tok)
	}
	if depth > 0 || len(problems) > 0 && strings.HasSuffix(problems[0].Msg, "not terminated") &&
		strings.Contains(s.code, "`") {
		return "incomplete", strings.Repeat("\t", max(depth, 0))
	}
	spans, wrong := split(s.code)
	for _, span := range spans {
		if wrong == nil {
			_, wrong = parse(s.code, span)
		}
	}
	if wrong != nil {
		return "invalid", ""
	}
	return "complete", ""
}

// Declares reports whether a cell declares a name at its top level. The name of a method is T.m.
func Declares(text, name string) bool {
	s := read(text)
	spans, _ := split(s.code)
	for _, span := range spans {
		parts, _ := parse(s.code, span)
		for _, p := range parts {
			for _, n := range p.names {
				if n.string == name && p.recv == "" || p.recv+"."+n.string == name {
					return true
				}
			}
		}
	}
	return false
}

// wordStart returns the offset at which the name begins that ends at an offset.
func wordStart(code string, at int) int {
	for at > 0 {
		r, size := utf8.DecodeLastRuneInString(code[:at])
		if !inWord(r) {
			break
		}
		at -= size
	}
	return at
}

func inWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// lookAt checks a cell that ends in a name, which begins at an offset. It closes open brackets and puts the cell into a
// program with the definitions of other cells. It returns the nodes around the name, the outermost first; nil if there
// are none.
func (s *Session) lookAt(c Cell, code string, at int) (*checked, []ast.Node) {
	from, _ := typing(code, at)
	part := code[from:]
	closers := ""
	all, _ := lexemes(part)
	for _, l := range all {
		switch bracket(l.tok) {
		case 1:
			closers = closing[l.tok].String() + closers
		case -1:
			closers = strings.TrimPrefix(closers, l.tok.String())
		}
	}
	var k *checked
	for _, body := range []string{"", " {}", ": 0"} { // for a whole cell, the head of an if or for, and a key
		c.Source = code[:from] + part + body + closers
		text, place, ok := s.around(c, at)
		if !ok {
			return nil, nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, "main.go", "package main\n"+text, parser.SkipObjectResolution)
		if err != nil && k != nil {
			continue
		}
		k = &checked{program: &program{s: s}, files: files, file: file}
		k.types()
		path := pathTo(file, files.File(file.Pos()).Pos(place+len("package main\n")))
		if err == nil && path != nil {
			return k, path
		}
	}
	if k == nil {
		return nil, nil
	}
	return k, nil
}

// pathTo returns the nodes around a name that begins at a position, the outermost first and the name last; nil if no
// name begins there.
func pathTo(file *ast.File, pos token.Pos) []ast.Node {
	path := nodesAt(file, pos)
	if len(path) == 0 {
		return nil
	}
	if _, is := path[len(path)-1].(*ast.Ident); !is {
		return nil
	}
	return path
}

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
