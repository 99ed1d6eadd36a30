package front

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// A name is documented though the network is off and go.mod names a module that nobody has fetched, as it is after
// the first install.
func TestDocWithoutAllModules(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.24\n\nrequire example.com/never v1.0.0\n",
		"p/p.go": "// Package p is short.\npackage p\n\n// F does nothing.\nfunc F() {}\n",
	} {
		path := filepath.Join(dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, []byte(text), 0o644))
	}
	f := &front{packages: &packages{checkout: dir}}
	for _, c := range []struct {
		name []string
		want string
	}{
		{[]string{"example.com/m/p", "F"}, "F does nothing."},
		{[]string{"example.com/m/p"}, "Package p is short."},
		{[]string{"example.com/m/p", "F"}, `import "example.com/m/p"`},
		{[]string{"strings", "Cut"}, "Cut slices s around the first instance of sep"},
		{[]string{"example.com/never/q", "F"}, "Its documentation was not found: "},
	} {
		got := f.doc(c.name)
		must.Be(t, strings.Contains(got, c.want), "%v: %q, want %q", c.name, got, c.want)
	}
}

// TestCursor: front ends count in units of UTF-16, with both bytes of an end of a line on Windows; cells have one.
func TestCursor(t *testing.T) {
	const code = "x := \"😀\"\r\n\r\nstrings.Rep"
	c := cursor{code, len("x := \"12\"\r\n\r\nstrings.Rep")}
	plain := strings.ReplaceAll(code, "\r\n", "\n")
	must.Equal(t, c.offset(), len(plain))
	must.Equal(t, c.place(strings.Index(plain, "Rep")), c.At-len("Rep"))
	must.Equal(t, c.place(len(plain)), c.At)
	must.Equal(t, c.place(len(code)), c.At)
}
