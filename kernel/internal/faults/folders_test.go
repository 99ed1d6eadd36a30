package faults

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/scenes"
	"github.com/expfam/lab/internal/must"
)

// A folder of images, some of which are broken, draws what can be read and names the rest.
func TestFolders(t *testing.T) {
	a := newArea("folders of images")
	a.bytes = 256 << 20
	valid := pictures(t).files
	for i := range cases(3, 150) {
		dir := filepath.Join(t.TempDir(), fmt.Sprint(i))
		must.Do(t, os.MkdirAll(dir, 0o700))
		all := ""
		for k := range 1 + a.rng.IntN(6) {
			data := valid[k%2]
			if a.rng.IntN(2) == 0 {
				var how string
				data, how = mutation(a.rng, data)
				all += fmt.Sprintf("%d: %s", k, how)
			}
			if a.rng.IntN(50) == 0 { // a small file that says it is an image of half a gigabyte
				data = bytes.Clone(valid[0])
				binary.BigEndian.PutUint32(data[16:], 11000)
				binary.BigEndian.PutUint32(data[20:], 11000)
				mendPNG(data)
				all += fmt.Sprintf("%d: 121 million pixels ", k)
			}
			name := fmt.Sprintf("%d%s", k, pick(a.rng, ".png", ".jpg", ".JPEG"))
			must.Do(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
		}
		a.try(t, "a folder with "+all, func() error {
			m, err := scenes.ImageFolder{Path: dir, Rows: 8, Cols: 8, Zoom: 1.5}.Open()
			if err != nil {
				return refused(err)
			}
			low, high := m.Bounds()
			x := make([]float64, m.Dim())
			for j := range 6 {
				if err := imageOf(m, j, x); err != nil {
					return refused(err)
				}
				for _, v := range x {
					if !(v >= low && v <= high) {
						return wrong("a pixel of %g", v)
					}
				}
			}
			return nil
		})
	}
}

// imageOf draws an image of a folder, and returns the error that Draw panics with if none can be drawn.
func imageOf(m *scenes.Images, number int, x []float64) (err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case runtime.Error:
			panic(v)
		case error:
			err = v
		}
	}()
	m.Draw(expfam.Stream(1, fmt.Sprint("image/", number)), x)
	return nil
}
