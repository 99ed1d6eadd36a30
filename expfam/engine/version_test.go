package engine

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

func TestVersion(t *testing.T) {
	e := must.Get(Open("go"))(t)
	if v := e.Version(); !strings.HasPrefix(v, runtime.Version()+" "+runtime.GOARCH) {
		t.Errorf("version %q", v)
	}
	if v, err := libraryVersion(""); v != "" || err != nil {
		t.Errorf("no file: %q, %v", v, err)
	}
}

// Files of one size differ by what they hold, at the end as at the start.
func TestLibraryVersion(t *testing.T) {
	dir, seen := t.TempDir(), map[string]string{}
	for name, at := range map[string]int{"as it was": -1, "first byte": 0, "last byte": 5<<20 - 1,
		"in the middle": 5<<19 + 5000} {
		body := make([]byte, 5<<20)
		for i := range body {
			body[i] = byte(i >> 8)
		}
		if at >= 0 { // code differs over more than a part's distance
			for i := max(0, at-100_000); i < min(len(body), at+100_000); i++ {
				body[i]++
			}
		}
		path := filepath.Join(dir, "library")
		must.Do(t, os.WriteFile(path, body, 0o644))
		v := must.Get(libraryVersion(path))(t)
		if other, twice := seen[v]; twice {
			t.Errorf("%s and %s have the version %s", name, other, v)
		}
		seen[v] = name
	}
	must.Refuse(libraryVersion(filepath.Join(dir, "none")))(t)
}
