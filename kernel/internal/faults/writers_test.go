package faults

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/raster"
	"github.com/expfam/lab/expfam/scenes"
	"github.com/expfam/lab/expfam/store"
	"github.com/expfam/lab/kernel/internal/ipynb"
	"github.com/expfam/lab/viz"
)

// writer writes one of two versions of a file.
type writer struct {
	name  string // of the file
	write func(path string, version int) error
}

// writers are all kinds of files that this module writes.
func writers() []writer {
	const n = 60
	field := func(version int) grid.Field {
		f := grid.Field{Grid: grid.Grid{Rows: n, Cols: n, X: grid.Axis{First: 1, Step: 0.1},
			Y: grid.Axis{First: 9, Step: -0.1}, Radius: grid.EarthRadius}}
		for j := range n * n {
			f.Values = append(f.Values, math.Sin(float64(j*(1+version))))
		}
		return f
	}
	post := func(version int) *expfam.Posterior {
		return &expfam.Posterior{X: mat.NewDense(n, n, field(version).Values),
			Likelihood: expfam.Likelihood{Family: expfam.Normal{}}}
	}
	layers := func(version int) raster.Layers {
		f := field(version)
		return raster.Layers{Grid: f.Grid, Layers: []raster.Layer{{Name: "a", Values: f.Values}}}
	}
	lines := func(version int) viz.Lines {
		return viz.Lines{Lines: []viz.Line{{Name: "a", Y: field(version).Values[:500]}},
			Title: fmt.Sprint("version ", version)}
	}
	figure := func(path string, version int) error { return viz.Save(lines(version), path) }
	return []writer{
		{"post.safetensors", func(path string, v int) error { return post(v).Save(path) }},
		{"post.csv", func(path string, v int) error { return post(v).WriteCSV(path) }},
		{"post.npy", func(path string, v int) error { return post(v).WriteNPY(path) }},
		{"map.tif", func(path string, v int) error { return layers(v).GeoTIFF(path) }},
		{"map.geojson", func(path string, v int) error { return layers(v).GeoJSON(path) }},
		{"map.csv", func(path string, v int) error { return layers(v).CSV(path) }},
		{"sheet.png", func(path string, v int) error {
			return scenes.Sheet{Rows: n, Cols: n}.Save(path, [][]float64{field(v).Values})
		}},
		{"figure.svg", figure},
		{"figure.png", figure},
		{"entry.safetensors", func(path string, v int) error {
			return store.Write(path, &store.File{Meta: map[string]string{"version": fmt.Sprint(v)},
				Tensors: []store.Tensor{{Name: "x", Shape: []int{n * n}, Data: field(v).Values}}})
		}},
		{"lesson.ipynb", func(path string, v int) error {
			cell := &ipynb.Cell{Type: ipynb.Markdown, ID: "a",
				Source: strings.Repeat(fmt.Sprintf("version %d\n", v), 5000)}
			return (&ipynb.Notebook{Cells: []*ipynb.Cell{cell}}).Write(path)
		}},
	}
}

// versions are the contents of both versions of each file.
var versions = sync.OnceValues(func() (map[string][2][]byte, error) {
	dir, err := os.MkdirTemp("", "expfam-faults-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	all := map[string][2][]byte{}
	for _, w := range writers() {
		var both [2][]byte
		for v := range both {
			path := filepath.Join(dir, w.name)
			if err := w.write(path, v); err != nil {
				return nil, err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			both[v] = data
		}
		all[w.name] = both
	}
	return all, nil
})

// torn is the first file of a folder that is neither of its versions.
func torn(dir string, all map[string][2][]byte) error {
	for name, both := range all {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return lose("%s is gone: %v", name, err)
		}
		if !bytes.Equal(data, both[0]) && !bytes.Equal(data, both[1]) {
			return lose("%s is torn: %d bytes, of %d or %d", name, len(data), len(both[0]), len(both[1]))
		}
	}
	return nil
}

// writeForever writes all files of a folder, again and again.
func writeForever(dir string) error {
	begin()
	for v := 1; ; v = 1 - v {
		for _, w := range writers() {
			if err := w.write(filepath.Join(dir, w.name), v); err != nil {
				return err
			}
		}
	}
}

// writeOld fills a folder with the first version of all files.
func writeOld(dir string, all map[string][2][]byte) error {
	for name, both := range all {
		if err := os.WriteFile(filepath.Join(dir, name), both[0], 0o600); err != nil {
			return err
		}
	}
	return nil
}
