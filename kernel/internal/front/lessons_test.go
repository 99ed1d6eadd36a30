package front

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/expfam/lab/kernel/internal/cell"
	"github.com/expfam/lab/kernel/ipynb"
)

// Every cell of every lesson is right, and says nothing about others: the lessons define each name once.
func TestLessons(t *testing.T) {
	if testing.Short() {
		t.Skip("lists the library's packages; not with -short")
	}
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		t.Skip("no checkout: ", err)
	}
	dir := strings.TrimSpace(string(root))
	p := &packages{checkout: dir, work: func() string { return dir }}
	if err := p.load(); err != nil {
		t.Fatal(err)
	}
	notebooks, err := filepath.Glob(filepath.Join(dir, "notebooks", "*.ipynb"))
	if err != nil || len(notebooks) == 0 {
		t.Fatalf("no notebooks: %v", err)
	}
	for _, path := range notebooks {
		t.Run(filepath.Base(path), func(t *testing.T) {
			nb, err := ipynb.Read(path)
			if err != nil {
				t.Fatal(err)
			}
			s := &cell.Session{Packages: p, Values: t.TempDir()}
			for i, c := range nb.Cells {
				if c.Type != ipynb.Code {
					continue
				}
				program, err := s.Translate(cell.Cell{ID: c.ID, Number: i + 1, Source: c.Source})
				if err != nil {
					t.Fatal(err)
				}
				for _, note := range program.Notes {
					t.Errorf("cell %d: %s", i+1, note)
				}
				if strings.Contains(c.Source, "%%") && program.Source == "" {
					t.Errorf("cell %d does not run", i+1)
				}
				s.Commit(program)
			}
		})
	}
}
