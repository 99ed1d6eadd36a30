package expfam

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/internal/must"
)

func TestExport(t *testing.T) {
	d := &Draws{X: mat.NewDense(2, 3, []float64{1.5, -2, 0.1, math.Pi, 1e300, 0})}
	// The bytes that NumPy 2.4.6 writes for the same array by
	// np.save(path, np.array([[1.5, -2, 0.1], [np.pi, 1e300, 0]])).
	f8 := "\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }" +
		strings.Repeat(" ", 58) + "\n" +
		"\x00\x00\x00\x00\x00\x00\xf8?\x00\x00\x00\x00\x00\x00\x00\xc0\x9a\x99\x99\x99\x99\x99\xb9?" +
		"\x18-DT\xfb!\t@\x9cu\x00\x88<\xe47~\x00\x00\x00\x00\x00\x00\x00\x00"
	// The same with dtype=np.float32, where 1e300 becomes infinite.
	f4 := strings.Replace(f8[:128], "<f8", "<f4", 1) +
		"\x00\x00\xc0?\x00\x00\x00\xc0\xcd\xcc\xcc=\xdb\x0fI@\x00\x00\x80\x7f\x00\x00\x00\x00"
	p := &Posterior{X: d.X}
	for name, c := range map[string]struct {
		write func(path string) error
		want  string
	}{
		"npy/float64": {func(path string) error { return d.WriteNPY(path) }, f8},
		"npy/float32": {func(path string) error { return d.WriteNPY32(path) }, f4},
		"npy/θ":       {func(path string) error { return p.WriteNPY(path) }, f8},
		"csv":         {p.WriteCSV, "cell_0,cell_1,cell_2\n1.5,-2,0.1\n3.141592653589793,1e+300,0\n"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "new", "draws")
			must.Do(t, c.write(path))
			got := must.Get(os.ReadFile(path))(t)
			must.Equal(t, string(got), c.want)
		})
	}
}
