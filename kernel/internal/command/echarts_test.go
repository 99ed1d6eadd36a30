package command

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// TestECharts goes through the life of an installation against a registry of its own.
func TestECharts(t *testing.T) {
	real := pins
	t.Cleanup(func() { pins = real })
	t.Setenv("JUPYTER_DATA_DIR", t.TempDir())
	t.Setenv(noInstallEnv, "")
	t.Setenv(echartsEnv, "")
	fake := func(version, program string) []byte {
		p, data := fakePackage(t, "echarts", version, map[string]string{
			"package/dist/echarts.min.js": program, "package/LICENSE": "l", "package/NOTICE": "n",
			"package/licenses/LICENSE-d3": "d"})
		pins = []pin{p}
		return data
	}
	archives := map[string][]byte{}
	asked := fakeRegistry(t, archives)
	kernels := must.Get(specDir())(t)
	dir := must.Get(echartsDir())(t)
	// ensure is the part of a verb that concerns ECharts, and what it prints.
	ensure := func(verbose bool) string {
		t.Helper()
		var out bytes.Buffer
		in := &installer{dir: kernels, out: &out, verbose: verbose}
		must.Do(t, os.MkdirAll(kernels, 0o755))
		rec := in.record()
		must.Do(t, in.begin(context.Background(), echartsPart, &rec)())
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
	doctor := func() finding {
		_, version, _, err := echartsPart.state(record{})
		if echartsSource() == nil {
			err = os.ErrNotExist
		}
		return echartsPart.finding(&installer{dir: kernels}, filepath.Join(dir, echartsFile), version, err)
	}
	const all = "LICENSE LICENSE-d3 NOTICE echarts.min.js"

	one := fake("1.0.0", "one")
	t.Run("no network: one line, no error, nothing left", func(t *testing.T) {
		out := ensure(true)
		must.Be(t, strings.Count(out, "\n") == 1 && strings.Contains(out, echartsPart.without), "got %q", out)
		must.Refuse(os.Stat(dir))(t)
		must.Be(t, echartsSource() == nil && doctor().remedy != "", "found where none is")
	})
	archives["/mirror/echarts/-/echarts-1.0.0.tgz"] = one
	t.Run("run doesn't try again", func(t *testing.T) {
		before := *asked
		out := ensure(false)
		must.Be(t, out == "" && *asked == before, "printed %q, %d requests", out, *asked-before)
	})
	t.Run("install does", func(t *testing.T) {
		if out := ensure(true); !strings.Contains(out, "npm package echarts 1.0.0") || names() != all {
			t.Errorf("printed %q, there is %q", out, names())
		}
		must.Equal(t, string(echartsSource()), "one")
		f := doctor()
		must.Be(t, f.remedy == "" && strings.HasPrefix(f.detail, "1.0.0 "), "doctor says %+v", f)
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
		got := string(echartsSource())
		must.Be(t, got == "two" && names() == all, "got %q, there is %q", got, names())
	})
	t.Run("a file elsewhere goes first", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "e.js")
		must.Do(t, os.WriteFile(path, []byte("mine"), 0o600))
		t.Setenv(echartsEnv, path)
		must.Equal(t, string(echartsSource()), "mine")
	})
	t.Run("remove", func(t *testing.T) {
		var out bytes.Buffer
		must.Do(t, uninstall(&out))
		_, err := os.Stat(filepath.Dir(dir))
		must.Be(t, err != nil, "left: %q", names())
	})
	t.Run("a user's own file stays", func(t *testing.T) {
		must.Do(t, os.MkdirAll(dir, 0o755))
		must.Do(t, os.WriteFile(filepath.Join(dir, echartsFile), []byte("own"), 0o600))
		before := *asked
		ensure(true)
		var out bytes.Buffer
		must.Do(t, uninstall(&out))
		got := string(echartsSource())
		must.Be(t, got == "own" && *asked == before, "got %q after %d requests", got, *asked-before)
	})
	t.Run("fetching is forbidden", func(t *testing.T) {
		must.Do(t, os.RemoveAll(dir))
		t.Setenv(noInstallEnv, "1")
		before := *asked
		if out := ensure(true); !strings.Contains(out, noInstallEnv) || *asked != before {
			t.Errorf("printed %q, %d requests", out, *asked-before)
		}
	})
}
