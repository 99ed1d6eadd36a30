package command

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/cell"
	"github.com/expfam/lab/kernel/internal/jupyter"
)

// testMany types many cells, each of which changes one variable and defines another. No process stays, and of values no
// more files than variables have versions that are kept.
func testMany(t *testing.T, g gonb) {
	cells := fulltest.N(16, 500)
	k := g.start(t, g.home, nil)
	must.Do(t, runCell(t, k, "total := 0", "").reply.Err())
	before := memories(k)
	sum := 0
	for i := range cells {
		sum += i
		run := runCell(t, k, fmt.Sprintf("total += %d\nx%d := total\nfmt.Println(x%d)", i, i, i), "")
		must.Equal(t, run.text("stdout"), fmt.Sprintln(sum), i)
	}
	must.Equal(t, len(cellPrograms(k.TempDir())), 0, "programs of cells are left")
	values := must.Get(filepath.Glob(filepath.Join(k.TempDir(), "expfam-front-*", "values", "*")))(t)
	// Each sixteenth program sweeps.
	must.Be(t, len(values) > cells && len(values) <= cells+16, "%d files of values", len(values))
	t.Logf("%d cells: memory before %v, after %v", cells, before, memories(k))

	answer := must.Get(k.Ask(context.Background(), "expfam_variables_request", struct{}{}))(t)
	var seen struct{ Variables []cell.Variable }
	must.Do(t, json.Unmarshal(answer, &seen))
	must.Equal(t, len(seen.Variables), cells+1, "variables in the panel")
	must.Equal(t, seen.Variables[0], cell.Variable{Name: "total", Type: "int", Bytes: seen.Variables[0].Bytes, Cell: 1,
		Words: fmt.Sprint(sum)})
}

var resident = regexp.MustCompile(`(?m)^VmRSS:\s+(.*)$`)

// memories lists the memory of the kernel's processes, by program, for the log.
func memories(k *jupyter.Kernel) (all []string) {
	for _, pid := range processes(k.TempDir(), os.Getpid()) {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		name, _, _ := strings.Cut(strings.TrimPrefix(string(status), "Name:\t"), "\n")
		if m := resident.FindSubmatch(status); m != nil {
			all = append(all, name+" "+string(m[1]))
		}
	}
	return all
}
