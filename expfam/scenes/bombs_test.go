package scenes

import (
	"runtime"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam/internal/imagetest"
	"github.com/expfam/lab/internal/must"
)

// A folder with decompression bombs gives the images that it has, and says of
// the bombs what they are without decoding them.
func TestDecompressionBombs(t *testing.T) {
	files := map[string][]byte{
		"good.png":  imagetest.PNG(t, imagetest.Photo(40, 30, 3)),
		"blank.png": imagetest.Bomb(t, 10000, 10000, 10000, 8, 0), // 100 MB in 0.1
		"deep.png":  imagetest.Bomb(t, 12000, 9000, 0, 16, 6),     // 1.3 GB
		"wide.png":  imagetest.Bomb(t, 60000, 60000, 0, 1, 0),
		"thin.png":  imagetest.Bomb(t, 1<<30, 1, 0, 1, 0),
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m := folder(t, ImageFolder{Rows: 16, Cols: 16}, files)
	x := make([]float64, m.Dim())
	for i := range 3 * len(files) {
		must.Do(t, m.Item(1, i, x))
	}
	runtime.ReadMemStats(&after)
	// Fifteen images of 1200 pixels and their files; the least bomb takes 500 MB.
	if took := after.TotalAlloc - before.TotalAlloc; took > 20<<20 {
		t.Errorf("%d MB were allocated", took>>20)
	}
	r := m.Report()
	want := []struct{ path, says string }{
		{"blank.png", "png of 10000 by 10000 pixels in "}, {"deep.png", "decoding it takes 1.3 GB and may take 1.1"},
		{"thin.png", "at most 134217728 are read"}, {"wide.png", "at most 134217728 are read"},
	}
	must.Need(t, len(r.Skipped) == len(want), "%v", r)
	for i, w := range want {
		if s := r.Skipped[i]; s.Path != w.path || !strings.Contains(s.Reason, w.says) {
			t.Errorf("skipped %q: %q; want %s, %s", s.Path, s.Reason, w.path, w.says)
		}
	}
}
