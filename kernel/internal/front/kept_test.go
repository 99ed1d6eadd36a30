package front

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// A second kernel asks the go command nothing, until something changes that the list of packages depends on.
func TestKeptList(t *testing.T) {
	program, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no Go: ", err)
	}
	dir, bin := t.TempDir(), t.TempDir()
	put := func(path, text string, mode os.FileMode) {
		t.Helper()
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, []byte(text), mode))
	}
	calls := filepath.Join(bin, "calls")
	put(filepath.Join(bin, "go"), "#!/bin/sh\necho >>"+calls+"\nexec "+program+" \"$@\"\n", 0o755)
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("GOFLAGS", "")
	put(filepath.Join(dir, "go.mod"), "module example.org/lab\n\ngo 1.26\n", 0o644)
	for _, name := range []string{"viz", "report", "kernel/keep", "kernel/input"} {
		put(filepath.Join(dir, name, "file.go"), "package "+filepath.Base(name)+"\n", 0o644)
	}
	source := filepath.Join(dir, "expfam", "expfam.go")
	put(source, "package expfam\n\nconst First = 1\n", 0o644)
	kept := filepath.Join(bin, "packages.json")
	// loaded is the library as a new kernel sees it, which asks the go command or doesn't.
	loaded := func(what string, asks bool) *packages {
		t.Helper()
		os.Remove(calls)
		p := &packages{checkout: dir, work: func() string { return dir }, kept: kept}
		must.Do(t, p.load(), what)
		_, err := os.Stat(calls)
		must.Be(t, (err == nil) == asks, "%s: the go command was asked: %v", what, err == nil)
		must.Equal(t, strings.Join(p.names["fmt"], " "), "fmt", what, "packages of the name fmt")
		return p
	}
	member := func(what string, p *packages, name string) {
		t.Helper()
		found, err := p.Import("example.org/lab/expfam")
		must.Be(t, err == nil && found.Scope().Lookup(name) != nil, "%s: no %s in %v, %v", what, name, found, err)
	}
	member("the first", loaded("the first", true), "First")
	second := loaded("the second", false)
	member("the second", second, "First")
	must.Be(t, !second.stale(), "the list is stale, and nothing has changed")
	put(source, "package expfam\n\nconst First, Second = 1, 2\n", 0o644)
	must.Be(t, second.stale(), "a running kernel does not see the edit")
	p := loaded("edited", true)
	member("edited", p, "Second")
	loaded("edited, again", false)
	key := p.state()
	t.Setenv("GOFLAGS", "-tags=other")
	must.Be(t, p.state() != key, "other flags make no other list")
	t.Setenv("GOFLAGS", "")
	if err := os.Rename(p.files["example.org/lab/expfam"], filepath.Join(bin, "gone")); err != nil {
		// and back, for the cache is everybody's
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Rename(filepath.Join(bin, "gone"), p.files["example.org/lab/expfam"]) })
	loaded("a cache without a file", true)
	one := len(must.Get(os.ReadFile(calls))(t))
	os.Remove(calls)
	put(source, "package expfam\n\nconst First, Third = 1, 3\n", 0o644)
	var all sync.WaitGroup
	for range 4 { // kernels that start together
		all.Go(func() { (&packages{checkout: dir, work: func() string { return dir }, kept: kept}).load() })
	}
	all.Wait()
	must.Equal(t, len(must.Get(os.ReadFile(calls))(t)), one, "calls of the go command by four kernels, and by one:")
	put(kept, "{", 0o644)
	_, ok := recall(kept, key)
	must.Be(t, !ok, "a damaged list is taken")
}
