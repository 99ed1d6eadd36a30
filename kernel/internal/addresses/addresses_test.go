package addresses

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// TestStart: below the limit a program is one sentence, from where Go's runtime does not start to where it nearly fits;
// above it, its arguments and its environment arrive.
func TestStart(t *testing.T) {
	flag := Flag(runtime.GOOS + "/" + runtime.GOARCH)
	if flag == "" {
		t.Skip("there is no entry for this system")
	}
	program := filepath.Join(t.TempDir(), "program")
	build := exec.Command("go", "build", "-ldflags=-s -w "+flag, "-o", program, "./testdata/program")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	must.Need(t, err == nil, "%v\n%s", err, out)
	for _, c := range []struct {
		limit string // KB
		fits  bool
	}{{"20000", false}, {"100000", false}, {"500000", false}, {"700000", false}, {"1535999", false},
		{"1536000", true}, {"4000000", true}, {"unlimited", true}} {
		run := exec.Command("/bin/sh", "-c", fmt.Sprintf("ulimit -v %s && exec %s a 'b c'", c.limit, program))
		run.Env = append(os.Environ(), "WORD=word")
		out, err := run.CombinedOutput()
		says := string(out)
		if c.fits {
			must.Be(t, err == nil && says == "[a b c] word\n", "ulimit -v %s: %v\n%s", c.limit, err, says)
			continue
		}
		must.Err(t, err, "exit status 1")
		must.Be(t, says == refusal && strings.Count(says, "\n") == 1, "ulimit -v %s: %s", c.limit, says)
	}
}

// TestFit: the sentence of Go has the limit, and is otherwise that of the start.
func TestFit(t *testing.T) {
	must.Err(t, Fit(976<<20), "ulimit -v, is 976 MB"+remedy)
	must.Do(t, Fit(Least))
}
