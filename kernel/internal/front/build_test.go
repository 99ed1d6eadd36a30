package front

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
)

// TestBuild compares a program that the compiler and the linker have made with one that the go command has made: they
// know the same versions of the modules, under which results are stored.
func TestBuild(t *testing.T) {
	p, checkout := library(t)
	b := &backend{dir: t.TempDir(), work: t.TempDir()}
	write := func(name, text string) {
		t.Helper()
		must.Do(t, os.WriteFile(filepath.Join(b.work, name), []byte(text), 0o600))
	}
	goCommand := func(args ...string) {
		t.Helper()
		cmd := exec.Command("go", args...)
		cmd.Dir = b.work
		out, err := cmd.CombinedOutput()
		must.Do(t, err, string(out))
	}
	goCommand("mod", "init", "cell")
	goCommand("work", "init", ".", checkout)
	b.began = b.module()
	x := &execution{front: &front{packages: p, gonb: b}, start: time.Now()}
	const source = `package main

import (
	"fmt"

	"github.com/expfam/lab/expfam/engine"
)

func main() {
	e, err := engine.Open("go")
	fmt.Println(e.Version(), err)
}
`
	said := func(program string) string {
		t.Helper()
		return string(must.Get(exec.Command(program).CombinedOutput())(t))
	}
	program := x.build(context.Background(), source)
	must.Be(t, program != "", "the compiler and the linker make no program")
	write("main.go", source)
	goCommand("build", "-ldflags=-w", "-o", "cell")
	must.Equal(t, said(program), said(filepath.Join(b.work, "cell")), "the versions")

	for name, source := range map[string]string{
		"a package that the list lacks": "package main\n\nimport _ \"example.org/other\"\n\nfunc main() {}\n",
		"what does not compile":         "package main\n\nfunc main() { x }\n",
	} {
		must.Equal(t, x.build(context.Background(), source), "", name)
	}
	write("go.mod", "module cell\n\ngo 1.26\n\nrequire example.org/other v1.0.0\n")
	must.Equal(t, x.build(context.Background(), source), "", "a module that a cell has changed")
	b.began = b.module()
	x.interrupt = time.Now().Add(time.Hour)
	must.Equal(t, x.build(context.Background(), source), "", "an interrupted cell")
}
