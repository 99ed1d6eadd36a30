package command

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// TestFrontEnd goes through the life of an installation.
func TestFrontEnd(t *testing.T) {
	t.Setenv("JUPYTER_DATA_DIR", t.TempDir())
	dir := must.Get(echartsDir())(t)
	entry := filepath.Join(dir, "static", "remoteEntry.js")
	ensure := func() string {
		t.Helper()
		var out bytes.Buffer
		must.Do(t, (&installer{out: &out, verbose: true}).frontEnd())
		return out.String()
	}
	doctor := func() finding { return checkFrontEnd(context.Background(), nil)[0] }

	must.Be(t, doctor().remedy != "", "found where nothing is")
	if out := ensure(); !strings.Contains(out, "extension of JupyterLab") || doctor().remedy != "" {
		t.Errorf("printed %q, doctor says %+v", out, doctor())
	}
	out := ensure()
	must.Be(t, strings.HasSuffix(out, "in place\n"), "a second time printed %q", out)
	t.Run("package.json names what JupyterLab loads", func(t *testing.T) {
		data := must.Get(os.ReadFile(filepath.Join(dir, "package.json")))(t)
		var p struct {
			Name       string
			JupyterLab struct {
				Build struct{ Load, Extension string } `json:"_build"`
			}
		}
		must.Do(t, json.Unmarshal(data, &p))
		// JupyterLab loads {base_url}lab/extensions/{name}/{load} and asks the container _JUPYTERLAB[name].
		code, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(p.JupyterLab.Build.Load)))
		has := strings.Contains(string(code), `_JUPYTERLAB || {})["`+p.Name+`"]`)
		must.Be(t, err == nil && p.Name == filepath.Base(dir) && has, "%v %+v", err, p)
	})
	t.Run("an older one is replaced", func(t *testing.T) {
		must.Do(t, os.WriteFile(entry, []byte("old"), 0o600))
		must.Be(t, doctor().remedy != "", "doctor is content with an old one")
		if ensure(); !frontEndCurrent() {
			t.Error("it is still there")
		}
	})
	t.Run("remove leaves what is not ours", func(t *testing.T) {
		other := filepath.Join(dir, echartsFile)
		must.Do(t, os.WriteFile(other, nil, 0o600))
		must.Do(t, removeFrontEnd())
		must.Get(os.Stat(other))(t)
		must.Do(t, os.Remove(other))
		ensure()
		must.Do(t, removeFrontEnd())
		must.Refuse(os.Stat(filepath.Dir(dir)))(t)
	})
}
