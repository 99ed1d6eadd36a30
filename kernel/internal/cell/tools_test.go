//go:build unix

package cell

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"go/importer"
	"go/token"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
)

var toolsFolder = flag.String("tools", "", "a folder with compile, link, importcfg and its packages, in place of go")

// tools compile and link programs as the kernel does, without the go command.
type tools struct {
	compile, link, config string
	packages              map[string]string // files by path
}

// imported are the packages that random programs import.
var imported = []string{"container/list", "errors", "fmt", "io", "log", "os", "reflect", "runtime/debug", "slices",
	"sort", "strconv", "strings", "sync", "syscall", "time", "unicode/utf8"}

// newTools returns tools for programs that import what random programs need, and more.
func newTools(t *testing.T, more ...string) tools {
	t.Helper()
	o := tools{config: filepath.Join(*toolsFolder, "importcfg"), packages: map[string]string{}}
	o.compile, o.link = filepath.Join(*toolsFolder, "compile"), filepath.Join(*toolsFolder, "link")
	if *toolsFolder == "" {
		golang := func(args ...string) []byte { return must.Get(exec.Command("go", args...).Output())(t) }
		o.config = filepath.Join(t.TempDir(), "importcfg")
		must.Do(t, os.WriteFile(o.config, golang(append([]string{"list", "-export", "-deps", "-f",
			"{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}", "flag", keepPath}, slices.Concat(imported, more)...)...), 0o600))
		for name, path := range map[string]*string{"compile": &o.compile, "link": &o.link} {
			*path = strings.TrimSpace(string(golang("tool", "-n", name)))
		}
	}
	for line := range strings.Lines(string(must.Get(os.ReadFile(o.config))(t))) {
		path, file, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "packagefile "), "=")
		if !filepath.IsAbs(file) {
			file = filepath.Join(*toolsFolder, file)
		}
		o.packages[path] = file
	}
	return o
}

// session returns a session whose packages are those of the tools, and an empty image of memory.
func (o tools) session(t *testing.T) *Session {
	open := func(path string) (io.ReadCloser, error) { return os.Open(o.packages[path]) }
	s := &Session{Packages: std{importer.ForCompiler(token.NewFileSet(), "gc", open)}}
	s.Values = t.TempDir()
	return s
}

// build compiles a program into a folder.
func (o tools) build(t *testing.T, dir, source string) *exec.Cmd {
	t.Helper()
	in := func(name string) string { return filepath.Join(dir, name) }
	must.Do(t, os.WriteFile(in("main.go"), []byte(source), 0o600))
	for _, args := range [][]string{{o.compile, "-p", "main", "-complete", "-pack", "-dwarf=false",
		"-importcfg", o.config, "-o", in("main.a"), in("main.go")}, {o.link, "-s",
		"-importcfg", o.config, "-o", in("main"), in("main.a")}} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = filepath.Dir(o.config)
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s\n%s", err, text, source)
		}
	}
	return exec.Command(in("main"))
}

// killed is what a program prints before it is killed at a random time.
const killed = "@killed"

// run compiles a program and returns what it prints.
func (o tools) run(t *testing.T, source string) (shown, problems string) {
	t.Helper()
	dir := t.TempDir()
	defer os.RemoveAll(dir)
	cmd := o.build(t, dir, source)
	var wrong, out bytes.Buffer
	cmd.Stderr = &wrong
	pipe := must.Get(cmd.StdoutPipe())(t)
	must.Do(t, cmd.Start())
	for lines := bufio.NewReader(pipe); ; {
		line, err := lines.ReadString('\n')
		out.WriteString(line)
		if line == killed+"\n" {
			time.Sleep(time.Duration(rand.IntN(5000)) * time.Microsecond)
			cmd.Process.Kill()
		}
		if err != nil {
			break
		}
	}
	cmd.Wait()
	return out.String(), wrong.String()
}

// together runs bodies as the functions of one program, and returns what each prints for each of its cells.
func together(t *testing.T, o tools, all []string) (shown []map[int]string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n")
	for _, path := range imported {
		fmt.Fprintf(&b, "\t%q\n", path)
	}
	b.WriteString(")\n\nvar _, _, _, _, _, _, _, _, _, _, _, _, _ = os.Exit, list.New, errors.New, io.EOF, " +
		"slices.Max[[]int], sync.Mutex{}, " +
		"strings.ToUpper, time.Now, log.Fatal, debug.Stack, strconv.Itoa, syscall.Getpid, utf8.RuneLen\n\n" +
		inOneProgram + "\n\nfunc main() {\n")
	for i := range all {
		fmt.Fprintf(&b, "\tfmt.Println(\"## %d\")\n\ts%d()\n", i, i)
	}
	b.WriteString("}\n")
	for i, body := range all {
		fmt.Fprintf(&b, "\nfunc s%d() {\n%s}\n", i, body)
	}
	dir := t.TempDir()
	defer os.RemoveAll(dir)
	text, err := o.build(t, dir, b.String()).CombinedOutput()
	if err != nil {
		t.Fatalf("the program of all cells: %v\n%s", err, text)
	}
	for _, part := range strings.Split(string(text), "## ")[1:] {
		cells := map[int]string{}
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
