//go:build unix

package cell

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
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
