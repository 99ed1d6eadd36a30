//go:build cgo && !noonnx && linux && (amd64 || arm64)

package engine

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// ONNX Runtime keeps no identifier of the machine, as it does before it sends anything. A process of its own opens it,
// because it reads its variable once.
func TestSilent(t *testing.T) {
	library, err := findONNX("")
	if err != nil {
		t.Skip(err)
	}
	if os.Getenv("EXPFAM_TEST_SILENT") == "1" {
		must.Get(Open("onnx"))(t)
		return
	}
	home := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestSilent$")
	cmd.Env = []string{"EXPFAM_TEST_SILENT=1", "HOME=" + home, libraryEnv + "=" + library}
	out, err := cmd.CombinedOutput()
	must.Do(t, err, string(out))
	kept, err := filepath.Glob(filepath.Join(home, ".cache", "Microsoft*"))
	must.Be(t, err == nil && kept == nil, "it keeps %q", kept)
}
