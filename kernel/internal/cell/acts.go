package cell

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/expfam/lab/kernel/keep"
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

// pureStd are the packages of Go's library, with those below them, whose other functions only compute or read.
var pureStd = []string{"archive", "bufio", "bytes", "cmp", "compress", "container", "context", "crypto", "debug",
	"embed", "encoding", "errors", "flag", "fmt", "go", "hash", "html", "image", "index", "io", "iter", "log", "maps",
	"math", "mime", "net/http", "net/mail", "net/netip", "net/textproto", "net/url", "os", "path", "reflect", "regexp",
	"runtime", "slices", "sort", "strconv", "strings", "structs", "sync", "testing", "text", "time", "unicode",
	"unique", "unsafe", "weak"}

// below reports whether a package is one of some, or below one.
func below(path string, some []string) bool {
	return slices.ContainsFunc(some, func(p string) bool { return path == p || strings.HasPrefix(path, p+"/") })
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

// pure are the modules of others whose functions only compute. Functions of all others are taken to act.
var pure = []string{"gonum.org/v1", "github.com/gomlx", "golang.org/x/exp", "golang.org/x/image", "golang.org/x/sync",
	"golang.org/x/text", "github.com/google/uuid"}

// twice refuses a cell that would compute another cell's definition again although that acts, as http.Post does. Of
// a value that is another one each time, twice adds a note.
func (k *checked) twice(reached map[*chunk]bool, prog *Program) error {
	if k.s.Values == "" {
		return nil // a page has neither files nor a network
	}
	for _, c := range k.chunks {
		if c.own || c.kind != variable || !reached[c] || c.loaded {
			continue
		}
		if err := k.lost(c); err != nil {
			return err
		}
		names := k.missing(c)
		e := k.effectsOf(c)
		if e.acts == "" {
			if name, by := k.since(c); name != "" {
				prog.note("since "+names+" "+name, fmt.Sprintf("%s of cell %d is computed again here, from %s as %s "+
					"left it", names, c.entry.number, name, by), k.s)
			}
			if k.remembers(c, e) {
				prog.note("anew "+names, fmt.Sprintf("%s of cell %d begins anew here: the variables inside of a "+
					"function cannot be kept; define them in the cell, outside of the function, and they are", names,
					c.entry.number), k.s)
			}
			if e.varies != "" {
				prog.note("varies "+names, fmt.Sprintf(
					"%s of cell %d is computed again here, by %s, and is another value in "+
						"each cell: take what you need of it in cell %d, as numbers, texts or slices",
					names, c.entry.number, e.varies, c.entry.number), k.s)
			}
			continue
		}
		if k.again(c) {
			continue
		}
		return Problems{k.useOf(c, fmt.Sprintf("%s of cell %d would be computed again here, and %s called again", names,
			c.entry.number, e.acts)).with(fmt.Sprintf("%s: take what you need of it in cell %d, in one expression or "+
			"a function, as numbers, texts, slices or structs; or call it again by %%again %s", k.left(c),
			c.entry.number, strings.TrimSuffix(strings.Fields(names)[0], ",")))}
	}
	return nil
}

// missing returns the variables of a definition that have no value in a file, as a person reads them.
func (k *checked) missing(c *chunk) string {
	names := slices.DeleteFunc(c.kept(), func(name string) bool {
		_, err := keep.Look(k.s.Values, c.file(k.s, name, c.first[name]))
		return err == nil
	})
	if len(names) == 0 {
		names = c.kept()
	}
	return strings.Join(names, ", ")
}

// useOf returns a problem at the first place where the cell uses another cell's definition.
func (k *checked) useOf(c *chunk, text string) Problem {
	p := Problem{Cell: k.entry.number, Text: text}
	for _, own := range k.chunks {
		for _, n := range c.names {
			if _, is := own.uses[n.string]; is && own.own && p.Line == 0 {
				at := regexp.MustCompile(`\b` + n.string + `\b`).FindStringIndex(own.text)
				if at != nil {
					p = k.entry.problem(own.from+at[0], text)
				}
			}
		}
	}
	for _, id := range k.idents {
		if own := k.chunkAt(k.offset(id.Pos())); own != nil && own.own && slices.ContainsFunc(c.names,
			func(n name) bool { return k.object(c, n) == k.info.Uses[id] }) {
			at := k.files.Position(id.Pos())
			p.Line, p.Column, p.Source = at.Line, at.Column, lineOf(k.entry.script.text, at.Line)
			break
		}
	}
	return p
}

// lost refuses a definition that does not compute the last value of its variable, if that value is not there.
func (k *checked) lost(c *chunk) error {
	for _, n := range c.names {
		where := c.altered[n.string]
		if where == "" || c.stored || k.rename(c, n) == "_" || k.again(c) {
			continue
		}
		why := ""
		for _, file := range append([]string{c.first[n.string]}, c.versions[n.string]...) {
			if text := keep.Why(k.s.Values, file); text != "" {
				why = "it cannot be kept, because " + text
			}
		}
		if why == "" && !c.only[n.string] {
			continue // the cell ended before it changed anything
		}
		why = cmp.Or(why, "its program ended before the value was kept")
		return Problems{k.useOf(c, fmt.Sprintf("%s of cell %d %s, and its last value is not there", n.string,
			c.entry.number, where)).with(fmt.Sprintf("%s; run cell %d again, or take what you need of %s there, in "+
			"one expression or a function", why, c.entry.number, n.string))}
	}
	return nil
}

// left says why a definition whose type can be kept was not.
func (k *checked) left(c *chunk) string {
	for _, n := range c.names {
		for _, file := range append([]string{c.first[n.string]}, c.versions[n.string]...) {
			if why := keep.Why(k.s.Values, file); why != "" {
				return "it cannot be kept, because " + why
			}
		}
	}
	return "it cannot be kept"
}
