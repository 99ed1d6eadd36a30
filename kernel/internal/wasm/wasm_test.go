package wasm

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"maps"

	"github.com/expfam/lab/internal/must"
)

func TestAsPackage(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"a body", "package main\n\nfunc main() {\n\tf()\n}\n", "package c0\n\nfunc Main() {\n\tf()\n}\n"},
		{"behind a place", "package main\n/*line cell 3:1:1*/func main() { x() }\n",
			"package c0\n/*line cell 3:1:1*/func Main() { x() }\n"},
		{"a method is no main", "package main\n\ntype t int\n\nfunc (t) main() {}\n\nfunc main() {}\n",
			"package c0\n\ntype t int\n\nfunc (t) main() {}\n\nfunc Main() {}\n"},
	} {
		t.Run(c.name, func(t *testing.T) { must.Equal(t, must.Get(asPackage(c.source, "c0"))(t), c.want) })
	}
}

// The program of a page has the files that a text of its cells names, and not what lies beside them.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"weights/gp-a.bin", "weights/gp-b.bin", "weights/image.bin", "weights/gp-recipe.go",
		"table.csv", "other.csv", ".hidden/gp-a.bin"} {
		path := filepath.Join(dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must.Do(t, os.WriteFile(path, []byte(name), 0o600))
	}
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"a file", `"table.csv"`, []string{"table.csv"}},
		{"a path that another text completes", `"weights/gp-" + name`,
			[]string{"weights/gp-a.bin", "weights/gp-b.bin"}},
		{"a word that begins a name is no path", `"t"`, nil},
		{"a folder alone is none", `"weights"`, nil},
		{"out of the folder", `"../x/weights/gp-"`, nil},
		{"a text that is no path", `"exp(c+s*x)" + "a: %s/"`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, err := Files(dir, []Cell{{Source: "package main\n\nvar x = " + c.text + "\n"}})
			got := slices.Sorted(maps.Keys(found))
			must.Be(t, err == nil && slices.Equal(got, c.want), "%v, got %q, want %q", err, got, c.want)
		})
	}
}

func TestDispatcher(t *testing.T) {
	got := dispatcher("example.org/m/live", []Cell{{ID: `a"b`}, {ID: "c"}})
	for _, want := range []string{"\t\"example.org/m/live/c0\"\n", "case \"a\\\"b\":\n\t\tc0.Main()",
		"case \"c\":\n\t\tc1.Main()"} {
		must.Be(t, strings.Contains(got, want), "%s\nhas not %s", got, want)
	}
}

// A font without outlines still says how wide its letters are; its tables stay where they were.
func TestOutlineless(t *testing.T) {
	font := "\x00\x01\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00" +
		"glyf\x00\x00\x00\x00\x00\x00\x00\x2c\x00\x00\x00\x04" +
		"hmtx\x00\x00\x00\x00\x00\x00\x00\x30\x00\x00\x00\x04" + "abcdwxyz"
	must.Equal(t, outlineless(font), strings.Replace(font, "abcd", "\x00\x00\x00\x00", 1))
	must.Equal(t, outlineless("\x00\x01\x00\x00\x00\xff"), "\x00\x01\x00\x00\x00\xff", "half a font became")
}
