package cell

import (
	"fmt"
	"go/ast"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/expfam/lab/internal/safefile"
)

// acting are the functions and methods of Go's library that change something outside of their program, or ask others
// to, by the path of their package. To read a file is not among them, nor is what ends with the program, as os.Setenv.
var acting = map[string]*regexp.Regexp{
	"os": regexp.MustCompile(`^(Create\w*|OpenFile|WriteFile|Remove\w*|Rename|Mkdir\w*|Chmod|Chown|Chtimes|Lchown|Truncate|Link|Symlink|` +
		`StartProcess|CopyFS|Kill|Signal)$`),
	"os/exec":      regexp.MustCompile(`^(Run|Output|CombinedOutput|Start)$`),
	"crypto/tls":   regexp.MustCompile(`^(Dial\w*|Listen)$`),
	"log/syslog":   regexp.MustCompile(`^(New|NewLogger|Dial)$`),
	"net":          regexp.MustCompile(`^(Dial|Listen)\w*$`),
	"net/http":     regexp.MustCompile(`^(Get|Head|Post|PostForm|Do|RoundTrip|ListenAndServe\w*|Serve|ServeTLS)$`),
	"net/smtp":     regexp.MustCompile(`^(SendMail|Dial|Mail|Rcpt|Data)$`),
	"net/rpc":      regexp.MustCompile(`^(Dial\w*|Call|Go)$`),
	"database/sql": regexp.MustCompile(`^(Exec|Query|Begin)\w*$|^(Commit|Rollback)$`),
	"io/ioutil":    regexp.MustCompile(`^(WriteFile|Temp\w+)$`),
	"syscall":      regexp.MustCompile(`^([^G]|G[^e])`),
}

// varying are the functions of Go's library that return another value at each call.
var varying = map[string]*regexp.Regexp{
	"crypto/rand":       regexp.MustCompile(`.`),
	"hash/maphash":      regexp.MustCompile(`^(MakeSeed|String|Bytes)$`),
	"math/rand":         regexp.MustCompile(`^([^NS]|Norm|Shuffle)`), // not New, Seed
	"math/rand/v2":      regexp.MustCompile(`^([^N]|N$|Norm)`),
	"net/http/httptest": regexp.MustCompile(`^New\w*Server$`),
	"os":                regexp.MustCompile(`^Getpid$`),
	"time":              regexp.MustCompile(`^(Now|Since|Until)$`),
}

// saving are the functions and methods of the library that write files.
var saving = regexp.MustCompile(`^(Save\w*|WriteFile)$`)

// pure are the modules of others whose functions only compute.
var pure = []string{"gonum.org/v1/", "github.com/gomlx/", "golang.org/x/exp/", "golang.org/x/image/",
	"golang.org/x/sync/", "golang.org/x/text/"}

// twice refuses a cell that would compute another cell's definition again although that acts, as http.Post does. If
// nobody knows whether it does, twice adds a note.
func (k *checked) twice(reached map[*chunk]bool, prog *Program) error {
	if k.s.Values == "" {
		return nil // a page has neither files nor a network
	}
	for _, c := range k.chunks {
		if c.own || c.kind != variable || !reached[c] || c.loaded || c.rhs == 0 {
			continue
		}
		names := strings.Join(c.kept(), ", ")
		e := k.effectsOf(c)
		if e.acts == "" {
			if e.varies != "" {
				prog.note("varies "+names, fmt.Sprintf(
					"%s of cell %d is computed again here, by %s, and is another value in "+
						"each cell: take what you need of it in cell %d, as numbers, texts or slices",
					names, c.entry.number, e.varies, c.entry.number), k.s)
			} else if e.may != "" {
				prog.note("again "+names, fmt.Sprintf(
					"%s of cell %d is computed again here, by %s: if that changes anything "+
						"outside, take what you need in cell %d",
					names, c.entry.number, e.may, c.entry.number), k.s)
			}
			continue
		}
		p := Problem{Cell: k.entry.number, Text: fmt.Sprintf("%s of cell %d would be computed again here, and %s "+
			"called again", names, c.entry.number, e.acts)}
		if k.recordOf(c) == nil {
			p.Help = fmt.Sprintf("it cannot be kept: take what you need of it in cell %d, as numbers, texts, "+
				"slices or "+
				"structs of these, or in a file that other cells read", c.entry.number)
		} else {
			p.Help = fmt.Sprintf("cell %d %s: use it there, or run that cell again", c.entry.number, k.left(c))
		}
		for _, id := range k.idents {
			if own := k.chunkAt(k.offset(id.Pos())); own != nil && own.own && slices.ContainsFunc(c.names,
				func(n name) bool { return k.object(c, n) == k.info.Uses[id] }) {
				at := k.files.Position(id.Pos())
				p.Line, p.Column, p.Source = at.Line, at.Column, lineOf(k.entry.script.text, at.Line)
				break
			}
		}
		return Problems{p}
	}
	return nil
}

// left says why a definition whose type can be kept was not.
func (k *checked) left(c *chunk) string {
	how := k.recordOf(c)
	for _, name := range how.names {
		text, err := safefile.Read(filepath.Join(k.s.Values, how.file(name)+".error"), 1<<16)
		if first, _, _ := strings.Cut(string(text), "\n"); err == nil {
			return fmt.Sprintf("ended with the error %q, and only an error that is nil can be kept", first)
		}
	}
	return "left no value that can be kept"
}

// initialisers adds a note for a function of the cell that acts and runs in the program of every later cell.
func (k *checked) initialisers(prog *Program) {
	for _, c := range k.chunks {
		if !c.own || !c.initialises() {
			continue
		}
		e := k.newEffects()
		for _, decl := range k.file.Decls {
			if f, is := decl.(*ast.FuncDecl); is && f.Body != nil && k.chunkAt(k.offset(f.Name.Pos())) == c {
				e.walk(f.Body)
			}
		}
		if e.acts != "" {
			name := c.names[0].string
			prog.note("every "+name, fmt.Sprintf(
				"%s runs before every later cell, and calls %s each time: call it in a "+
					"cell if it should run once", name, e.acts), k.s)
		}
	}
}
