package front

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// TestGone: a folder of the kernel that somebody has removed has a name.
func TestGone(t *testing.T) {
	b := &backend{dir: t.TempDir(), work: filepath.Join(t.TempDir(), "work")}
	must.Equal(t, b.gone(), b.work, "the missing one")
	must.Do(t, os.Mkdir(b.work, 0o700))
	must.Equal(t, b.gone(), "", "none")
	b.work = ""
	must.Do(t, os.Remove(b.dir))
	must.Equal(t, b.gone(), b.dir, "the first one")
}
