//go:build unix

package cell

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/keep"
)

// act runs the program of a cell in a folder, and returns what it shows and says.
func act(t *testing.T, s *Session, dir string, c Cell) (shown string, err error) {
	t.Helper()
	p, err := s.Translate(c)
	if err != nil {
		return "", err
	}
	s.Commit(p)
	if p.Source == "" {
		return "", nil
	}
	path := filepath.Join(dir, "main.go")
	if err := os.WriteFile(path, []byte(p.Source), 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "program")
	build := exec.Command("go", "build", "-gcflags=-N -l", "-o", program, path) // here, where package keep is
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, text, p.Source)
	}
	cmd := exec.Command(program)
	cmd.Dir = dir
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%w: %s", err, problems.String())
	}
	return out.String() + problems.String(), nil
}

// ran has the image of memory say that a program has kept its variables.
func ran(t *testing.T, s *Session, p *Program) {
	m := must.Get(keep.Read(s.Values))(t)
	for _, key := range p.Keys() {
		m.Roots[key] = keep.Root{Block: 1}
	}
	must.Do(t, os.WriteFile(filepath.Join(s.Values, "index"), must.Get(json.Marshal(m))(t), 0o600))
}
