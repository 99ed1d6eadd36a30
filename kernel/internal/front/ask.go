package front

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/expfam/lab/kernel/internal/cell"
)

// docLimit is how long `go doc` may take.
const docLimit = 3 * time.Second

// cursor is the content of a request about a place in a cell.
type cursor struct {
	Code string `json:"code"`
	At   int    `json:"cursor_pos"`
}

// offset returns the place in bytes of the cell, whose lines end in \n. JupyterLab counts in units of UTF-16, whatever
// the protocol says, and front ends on Windows count the \r before a \n.
func (c cursor) offset() int {
	units := utf16.Encode([]rune(c.Code))
	before := string(utf16.Decode(units[:min(max(c.At, 0), len(units))]))
	return len(before) - strings.Count(before, "\r\n")
}

// place returns an offset in bytes of the cell as front ends count.
func (c cursor) place(offset int) int {
	at := 0
	for ; offset > 0 && at < len(c.Code); offset, at = offset-1, at+1 {
		if strings.HasPrefix(c.Code[at:], "\r\n") {
			at++
		}
	}
	return len(utf16.Encode([]rune(c.Code[:at])))
}

// complete answers a request with the names with which the code could go on.
func (f *front) complete(r request) {
	c := decode[cursor](r.Message)
	<-f.ready
	f.sessions.Lock()
	found, from := f.session.Suggest(cell.Cell{Source: c.Code}, c.offset())
	f.sessions.Unlock()
	if found == nil {
		found = []string{}
	}
	f.answer(r, map[string]any{"status": "ok", "matches": found, "cursor_start": c.place(from),
		"cursor_end": c.At, "metadata": map[string]any{}})
}

// inspect answers a request with a description of the name at a place, and its documentation.
func (f *front) inspect(r request) {
	c := decode[cursor](r.Message)
	<-f.ready
	f.sessions.Lock()
	d, ok := f.session.Describe(cell.Cell{Source: c.Code}, c.offset())
	f.sessions.Unlock()
	data := map[string]any{}
	if ok {
		text := d.Text
		if d.Doc != nil {
			text += "\n\n" + f.doc(d.Doc)
		}
		data["text/plain"] = text
	}
	f.answer(r, map[string]any{"status": "ok", "found": ok, "data": data, "metadata": map[string]any{}})
}

// doc returns the documentation of a package or of a name in it, or the reason why there is none.
func (f *front) doc(name []string) string {
	ctx, cancel := context.WithTimeout(context.Background(), docLimit)
	defer cancel()
	// If go doc is asked for a package by its path, it looks in all modules that go.mod names. Without a network it
	// then fails if one of them was never needed. In the package's own folder it finds the package at once.
	dir, err := goSays(ctx, f.packages.checkout, "list", "-find", "-f", "{{.Dir}}", name[0])
	if err == nil {
		var doc string
		if doc, err = goSays(ctx, dir, append([]string{"doc"}, name[1:]...)...); err == nil {
			return strings.Replace(doc, `import "."`, fmt.Sprintf("import %q", name[0]), 1)
		}
	}
	if ctx.Err() != nil {
		return fmt.Sprintf("Its documentation took longer than %v.", docLimit)
	}
	return "Its documentation was not found: " + err.Error()
}

// goSays returns the output of the go command in a folder.
func goSays(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && len(exit.Stderr) > 0 {
		lines := strings.Split(strings.TrimSpace(string(exit.Stderr)), "\n")
		err = errors.New(lines[len(lines)-1]) // above it stand warnings, one for each module
	}
	return strings.TrimSpace(string(out)), err
}
