package command

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestECharts goes through the life of an installation against a registry of its own.
func TestECharts(t *testing.T) {
	real := echartsPackage
	t.Cleanup(func() { echartsPackage = real })
	t.Setenv("JUPYTER_DATA_DIR", t.TempDir())
	t.Setenv(noInstallEnv, "")
	t.Setenv(echartsEnv, "")
	fake := func(version, program string) []byte {
		p, data := fakePackage(t, "echarts", version, map[string]string{
			"package/dist/echarts.min.js": program, "package/LICENSE": "l", "package/NOTICE": "n",
			"package/licenses/LICENSE-d3": "d"})
		echartsPackage = p
		return data
	}
	archives := map[string][]byte{}
	asked := fakeRegistry(t, archives)
	kernels, err := specDir()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := echartsDir()
	if err != nil {
		t.Fatal(err)
	}
	// ensure is the part of a verb that concerns ECharts, and what it prints.
	ensure := func(verbose bool) string {
		t.Helper()
		var out bytes.Buffer
		in := &installer{dir: kernels, out: &out, verbose: verbose}
		if err := os.MkdirAll(kernels, 0o755); err != nil {
			t.Fatal(err)
		}
		rec := in.record()
		if err := in.echarts(context.Background(), &rec)(); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	names := func() string {
		var list []string
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			list = append(list, e.Name())
		}
		return strings.Join(list, " ")
	}
	doctor := func() finding { return checkECharts(context.Background(), &installer{dir: kernels})[0] }
	const all = "LICENSE LICENSE-d3 NOTICE echarts.min.js"

	one := fake("1.0.0", "one")
	t.Run("no network: one line, no error, nothing left", func(t *testing.T) {
		if out := ensure(true); strings.Count(out, "\n") != 1 || !strings.Contains(out, staticOnly) {
			t.Errorf("got %q", out)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Error("an empty folder is left")
		}
		if echartsSource() != nil || doctor().mend == "" {
			t.Error("found where none is")
		}
	})
	archives["/mirror/echarts/-/echarts-1.0.0.tgz"] = one
	t.Run("run doesn't try again", func(t *testing.T) {
		before := *asked
		if out := ensure(false); out != "" || *asked != before {
			t.Errorf("printed %q, %d requests", out, *asked-before)
		}
	})
	t.Run("install does", func(t *testing.T) {
		if out := ensure(true); !strings.Contains(out, "npm package echarts 1.0.0") || names() != all {
			t.Errorf("printed %q, there is %q", out, names())
		}
		if got := string(echartsSource()); got != "one" {
			t.Errorf("got %q", got)
		}
		if f := doctor(); f.mend != "" || !strings.HasPrefix(f.detail, "1.0.0 ") {
			t.Errorf("doctor says %+v", f)
		}
	})
	t.Run("in place", func(t *testing.T) {
		before := *asked
		if out := ensure(true) + ensure(false); !strings.HasSuffix(out, "in place\n") || *asked != before {
			t.Errorf("printed %q, %d requests", out, *asked-before)
		}
	})
	t.Run("another version is wanted", func(t *testing.T) {
		archives["/mirror/echarts/-/echarts-2.0.0.tgz"] = fake("2.0.0", "two")
		ensure(false)
		if got := string(echartsSource()); got != "two" || names() != all {
			t.Errorf("got %q, there is %q", got, names())
		}
	})
	t.Run("a file elsewhere goes first", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "e.js")
		if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Setenv(echartsEnv, path)
		if got := string(echartsSource()); got != "mine" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("remove", func(t *testing.T) {
		var out bytes.Buffer
		if err := uninstall(&out); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Dir(dir)); err == nil {
			t.Errorf("left: %q", names())
		}
	})
	t.Run("a user's own file stays", func(t *testing.T) {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, echartsFile), []byte("own"), 0o600); err != nil {
			t.Fatal(err)
		}
		before := *asked
		ensure(true)
		var out bytes.Buffer
		if err := uninstall(&out); err != nil {
			t.Fatal(err)
		}
		if got := string(echartsSource()); got != "own" || *asked != before {
			t.Errorf("got %q after %d requests", got, *asked-before)
		}
	})
	t.Run("fetching is forbidden", func(t *testing.T) {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		t.Setenv(noInstallEnv, "1")
		before := *asked
		if out := ensure(true); !strings.Contains(out, noInstallEnv) || *asked != before {
			t.Errorf("printed %q, %d requests", out, *asked-before)
		}
	})
}
