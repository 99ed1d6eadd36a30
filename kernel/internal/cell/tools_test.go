//go:build unix

package cell

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// tools compile and link programs as the kernel does, without the go command.
type tools struct{ config string }

// newTools returns tools for programs that import what random programs need.
func newTools(t *testing.T) tools {
	t.Helper()
	list := exec.Command("go", "list", "-export", "-deps", "-f",
		"{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}", "bytes", "container/list", "errors", "flag",
		"fmt", "io", "os", "reflect", "slices", "sort", "strings", "sync", "time", keepPath)
	config := filepath.Join(t.TempDir(), "importcfg")
	must.Do(t, os.WriteFile(config, must.Get(list.Output())(t), 0o600))
	return tools{config}
}

// run compiles a program and returns what it prints.
func (o tools) run(t *testing.T, source string) (shown, problems string) {
	t.Helper()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	must.Do(t, os.WriteFile(in("main.go"), []byte(source), 0o600))
	for _, args := range [][]string{{"compile", "-p", "main", "-complete", "-pack", "-importcfg", o.config, "-o",
		in("main.a"), "main.go"}, {"link", "-s", "-importcfg", o.config, "-o", in("main"), in("main.a")}} {
		cmd := exec.Command("go", append([]string{"tool"}, args...)...)
		cmd.Dir = dir
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s\n%s", err, text, source)
		}
	}
	cmd := exec.Command(in("main"))
	var out, wrong bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &wrong
	cmd.Run()
	os.RemoveAll(dir)
	return out.String(), wrong.String()
}

// together runs sequences as the functions of one program, and returns what each cell prints.
func together(t *testing.T, o tools, all []sequence) (shown [][]string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n")
	for _, path := range []string{"container/list", "errors", "fmt", "io", "reflect", "slices", "sort", "strings",
		"sync", "time"} {
		fmt.Fprintf(&b, "\t%q\n", path)
	}
	b.WriteString(")\n\nvar _, _, _, _, _, _, _ = list.New, errors.New, io.EOF, slices.Max[[]int], strings.ToUpper, " +
		"sync.Mutex{}, time.Now\n\n" + preamble + "\n\nfunc main() {\n")
	for i := range all {
		fmt.Fprintf(&b, "\tfmt.Println(\"## %d\")\n\ts%d()\n", i, i)
	}
	b.WriteString("}\n")
	for i, s := range all {
		fmt.Fprintf(&b, "\nfunc s%d() {\n%s}\n", i, s.one)
	}
	text, wrong := o.run(t, b.String())
	if wrong != "" {
		t.Fatalf("the program of all cells: %s", wrong)
	}
	for i, part := range strings.Split(text, "## ")[1:] {
		cells := make([]string, len(all[i].cells))
		for _, of := range strings.Split(part, "== ")[1:] {
			number, shown, _ := strings.Cut(of, "\n")
			k := 0
			fmt.Sscan(number, &k)
			cells[k] = shown
		}
		shown = append(shown, cells)
	}
	return shown
}

// compareSequence runs a sequence cell by cell, and compares what each prints.
func compareSequence(t *testing.T, o tools, number uint64, s sequence, want []string) {
	session := newSession()
	session.Values = t.TempDir()
	defer os.RemoveAll(session.Values)
	const imports = "import (\n\"container/list\"\n\"reflect\"\n\"slices\"\n\"time\"\n)\n"
	cells := append([]string{imports + preamble}, s.cells...)
	for k, source := range cells {
		if s.restarted[k-1] { // beside what the kernel before it kept
			folder := session.Values
			session = newSession()
			session.Values = folder
			source = imports + preamble + "\n" + source
		}
		p, err := session.Translate(Cell{ID: fmt.Sprint(k), Number: k + 1, Source: source})
		if err != nil {
			t.Logf("sequence %d, cell %d is refused: %v", number, k, err)
			return
		}
		session.Commit(p)
		if p.Source == "" {
			continue
		}
		shown, wrong := o.run(t, p.Source)
		if s.lost[k-1] {
			continue
		}
		if strings.Contains(wrong, "could not be kept") {
			t.Logf("sequence %d, cell %d: %s", number, k, wrong)
			return
		}
		if wrong = strings.TrimSpace(wrong); wrong != "" && !strings.Contains(wrong, "panic: stop") {
			t.Errorf("sequence %d, cell %d: %s\n%s", number, k, wrong, strings.Join(s.cells[:k], "\n----\n"))
			return
		}
		if k > 0 && shown != want[k-1] {
			t.Errorf("sequence %d, cell %d shows\n%s\nnot\n%s\ncells\n%s", number, k, shown, want[k-1],
				strings.Join(s.cells[:k], "\n----\n"))
			return
		}
	}
}
