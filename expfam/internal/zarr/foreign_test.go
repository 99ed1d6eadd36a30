package zarr

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// testdata/foreign.zarr is of zarr-python (testdata/foreign.py): chunks that do not divide the shape, zstd, a checksum,
// chunks that are not there, and texts.
func TestForeignArrays(t *testing.T) {
	dir := filepath.Join("testdata", "foreign.zarr")
	a := must.Get(ReadArray(dir, "g", "a"))(t)
	want := make([]float64, 15)
	for i := range want {
		want[i] = float64(i)
	}
	must.Equal(t, a.Floats(), want, "a")
	must.Equal(t, a.Dims, []string{"x", "y"}, "dimensions")
	b := must.Get(ReadArray(dir, "g", "b"))(t).Floats()
	must.Be(t, len(b) == 5 && b[0] == 1.5 && b[1] == -2 && math.IsNaN(b[2]) && math.IsNaN(b[4]), "b %v", b)
	must.Equal(t, must.Get(ReadArray(dir, "g", "names"))(t).Data, any([]string{"mu", "é", ""}), "names")
	must.Refuse(ReadArray(dir, "g", "gzip"))(t, "the codec gzip is not read")
	_, err := ReadArray(dir, "g", "none")
	must.Be(t, errors.Is(err, fs.ErrNotExist), "%v", err)

	// A file that is cut off is an error, whatever it was cut to.
	name := filepath.Join("g", "a", "c", "0", "0")
	raw := must.Get(os.ReadFile(filepath.Join(dir, name)))(t)
	damaged := filepath.Join(t.TempDir(), "damaged.zarr")
	must.Do(t, os.CopyFS(damaged, os.DirFS(dir)))
	for n := range len(raw) {
		must.Do(t, os.WriteFile(filepath.Join(damaged, name), raw[:n], 0o644))
		must.Refuse(ReadArray(damaged, "g", "a"))(t, "array g/a, chunk [0 0]")
	}
}
