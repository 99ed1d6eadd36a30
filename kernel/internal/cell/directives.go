package cell

import (
	"cmp"
	"go/scanner"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// directive is a comment that Go obeys. Cells are rewritten before Go sees them, so it would be lost.
type directive struct {
	at   int // offset in the code
	name string
}

// directiveName finds the name of a directive. A comment such as //line plot or //export the table is prose.
var directiveName = regexp.MustCompile(`^//(go:\w+)\b|^//(export|extern) \w+\s*$|^//(line) .*:|^// ?(\+build)\b|` +
	`^/\*(line) .*:`)

// directives returns the compiler's directives in a text.
func directives(text string) (all []directive) {
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), nil, scanner.ScanComments)
	for {
		pos, tok, comment := s.Scan()
		if tok == token.EOF {
			return all
		}
		if found := directiveName.FindStringSubmatch(comment); tok == token.COMMENT && found != nil {
			all = append(all, directive{file.Offset(pos), strings.Join(found[1:], "")})
		}
	}
}

// hints are directives without which a program computes the same.
var hints = []string{"go:generate", "go:noinline", "go:nosplit", "go:norace", "go:nocheckptr", "go:noescape",
	"go:fix", "go:uintptrescapes"}

// remedies say what to do without a directive that changes what a program does.
var remedies = map[string]string{
	"go:embed": "read the file where it is needed, as in text := string(expfam.Must(os.ReadFile(\"note.txt\"))); " +
		"the variable would be empty",
	"go:build": "leave it out, or ask for runtime.GOOS: a cell is compiled on every system",
	"+build":   "leave it out, or ask for runtime.GOOS: a cell is compiled on every system",
	"go:debug": "set it by %env GODEBUG",
	"line":     "leave it out: errors would name lines that nobody typed",
	"export":   "leave it out: it is for cgo, which cells do not have",
}

// refuses refuses directives that change what a program does, and cgo. A cell that dropped them would be another one.
func (e *entry) refuses() error {
	for _, d := range directives(e.script.code) {
		remedy := remedies[d.name]
		remedy = cmp.Or(remedy, "put the code that needs it into a package, and import that")
		if !slices.Contains(hints, d.name) {
			return Problems{e.problem(d.at, "a cell cannot have the directive "+d.name).with(remedy)}
		}
	}
	return nil
}

// ignored adds a note for directives that a cell drops and that change nothing in what it computes.
func (s *Session) ignored(e *entry, p *Program) {
	for _, d := range directives(e.script.code) {
		if slices.Contains(hints, d.name) {
			p.note("directive "+d.name, "the directive "+d.name+" has no effect in a cell: put the code that needs it "+
				"into a package", s)
		}
	}
}

// online returns a command with which somebody adds a module to the one of the cells, so that it may ask the network.
// Otherwise the kernel keeps the go command from that, because GoNB calls it before cells.
func online(command string) string {
	if rest, is := strings.CutPrefix(command, "!*go "); is {
		return "!*env -u GOPROXY go " + rest
	}
	return command
}

// modules adds a note for a command that changes another module than the one of the cells.
func (s *Session) modules(e *entry, p *Program) {
	for _, c := range e.script.commands {
		words := strings.Fields(strings.TrimPrefix(c, "!"))
		if c[0] == '!' && len(words) > 1 && words[0] == "go" && (words[1] == "get" || words[1] == "mod" ||
			words[1] == "work") {
			p.note(c, "!go "+words[1]+" is for a module in the notebook's folder; for packages that cells import, "+
				"type !*"+strings.Join(words, " "), s)
		}
	}
}
