package pack

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// write makes a wheel of three files in a folder, and returns its path.
func write(t *testing.T, folder string) string {
	t.Helper()
	w := must.Get(Create(folder, Distribution{Name: "some_package", Version: "1.2", Platform: "manylinux_2_28_x86_64",
		Headers: []string{"Requires-Dist: other==3"}, Description: "What it is.\n"}))(t)
	w.Add(w.Data("scripts", "program"), []byte("\x7fELF"), true)
	w.Add("some_package/a,b \"c\".txt", []byte("text"), false)
	w.AddTree("some_package/tree", "testdata/tree", func(name string) bool { return name != "left/out.txt" })
	return must.Get(w.Close())(t)
}

// pip refuses a wheel whose RECORD does not list each file with its hash.
func TestWheel(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir)
	must.Equal(t, filepath.Base(path), "some_package-1.2-py3-none-manylinux_2_28_x86_64.whl")
	z := must.Get(zip.OpenReader(path))(t)
	defer z.Close()
	content := map[string][]byte{}
	for _, f := range z.File {
		r := must.Get(f.Open())(t)
		content[f.Name] = must.Get(io.ReadAll(r))(t)
		program := strings.HasSuffix(f.Name, "scripts/program")
		must.Be(t, program == (f.Mode()&0o111 != 0), "%s has the mode %v", f.Name, f.Mode())
	}
	rows := must.Get(csv.NewReader(bytes.NewReader(content["some_package-1.2.dist-info/RECORD"])).ReadAll())(t)
	must.Equal(t, len(rows), len(content))
	for _, row := range rows {
		data, there := content[row[0]]
		sum := sha256.Sum256(data)
		want := []string{row[0], "sha256=" + base64.RawURLEncoding.EncodeToString(sum[:]), fmt.Sprint(len(data))}
		if strings.HasSuffix(row[0], "/RECORD") {
			want = []string{row[0], "", ""}
		}
		must.Be(t, there && strings.Join(row, ",") == strings.Join(want, ","), "RECORD has %q, want %q", row, want)
	}
	for name, want := range map[string]string{
		"some_package-1.2.dist-info/METADATA": "Name: some-package\nVersion: 1.2\nRequires-Dist: other==3\n",
		"some_package-1.2.dist-info/WHEEL":    "Root-Is-Purelib: false\nTag: py3-none-manylinux_2_28_x86_64\n",
		"some_package/tree/kept.txt":          "kept\n",
	} {
		must.Be(t, strings.Contains(string(content[name]), want),
			"%s is %q, want %q in it", name, content[name], want)
	}
	_, there := content["some_package/tree/left/out.txt"]
	must.Be(t, !there, "a file that was not to be kept is there")
}

// Wheels of the same content are equal, and nothing else is left in the folder.
func TestWheelAgain(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	a, b := must.Get(os.ReadFile(write(t, first)))(t), must.Get(os.ReadFile(write(t, second)))(t)
	must.Be(t, bytes.Equal(a, b), "two wheels of the same content differ")
	must.Equal(t, len(must.Get(os.ReadDir(first))(t)), 1)
}

// A wheel that is given up leaves nothing.
func TestWheelDiscard(t *testing.T) {
	dir := t.TempDir()
	w := must.Get(Create(dir, Distribution{Name: "some", Version: "1"}))(t)
	w.AddFile("file", filepath.Join(dir, "none"), false)
	must.Refuse(w.Close())(t)
	w.Discard()
	must.Equal(t, len(must.Get(os.ReadDir(dir))(t)), 0)
}
