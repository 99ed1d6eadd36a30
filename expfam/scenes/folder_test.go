package scenes

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/imagetest"
	"github.com/expfam/lab/internal/must"
)

var _ expfam.Simulator = &Images{}

// item fills x with image i of a sequence, from all files one after the other.
func (m *Images) item(seed uint64, i int, x []float64) error {
	return m.fill(i%len(m.files), expfam.Stream(seed, fmt.Sprintf("images/%d", i)), x)
}

// folder writes files and opens them.
func folder(t *testing.T, o ImageFolder, files map[string][]byte) *Images {
	t.Helper()
	o.Path = t.TempDir()
	for name, data := range files {
		path := filepath.Join(o.Path, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must.Do(t, os.WriteFile(path, data, 0o600))
	}
	return must.Get(o.Open())(t)
}

// badFolder has one file of every kind that folders of images have.
func badFolder(t *testing.T) map[string][]byte {
	sixteen := imagetest.Paint(image.NewGray16(image.Rect(0, 0, 40, 30)),
		func(x, y int) color.Color { return color.Gray16{uint16(1000*x + 300*y)} })
	var animation bytes.Buffer
	must.Do(t, gif.Encode(&animation, imagetest.Photo(20, 20, 5), nil))
	whole := imagetest.JPEG(t, imagetest.Photo(64, 48, 3))
	wide := imagetest.PNG(t, imagetest.Photo(8, 8, 3))
	binary.BigEndian.PutUint32(wide[16:], 1<<30) // the checksum is wrong as well
	return map[string][]byte{
		"n01440764/n01440764_10026.JPEG": whole,
		"n01440764/n01440764_10027.JPEG": whole[:len(whole)/2],
		"n02119789/sixteen.png":          imagetest.PNG(t, sixteen),
		"n02119789/cmyk.jpg":             imagetest.CMYK(),
		"n02119789/pixel.png":            imagetest.PNG(t, imagetest.Photo(1, 1, 3)),
		"n02119789/flat.png": imagetest.PNG(t,
			imagetest.Paint(image.NewGray(image.Rect(0, 0, 9, 9)), func(x, y int) color.Color { return color.White })),
		"n02119789/clear.png": imagetest.PNG(t, imagetest.Paint(image.NewNRGBA(image.Rect(0, 0, 9, 9)),
			func(x, y int) color.Color { return color.NRGBA{9, 9, 9, uint8(20 * x)} })),
		"n02119789/wide.png": wide,
		"first.gif":          animation.Bytes(),
		"readme.txt":         []byte("not an image"),
		"empty.jpg":          {},
		"cut.png":            imagetest.PNG(t, imagetest.Photo(50, 50, 3))[:60],
	}
}

func TestFolderOfBadFilesIsReadAndReported(t *testing.T) {
	m := folder(t, ImageFolder{Rows: 16, Cols: 16}, badFolder(t))
	must.Need(t, len(m.files) == 12, "%d files", len(m.files))
	x := make([]float64, m.Dim())
	for i := range len(m.files) {
		must.Do(t, m.item(1, i, x))
		must.Need(t, slices.Min(x) == -1 && slices.Max(x) == 1,
			"image %d spans [%g, %g]", i, slices.Min(x), slices.Max(x))
	}
	want := []struct{ path, says string }{
		{"cut.png", "not enough pixel data"},
		{"empty.jpg", "empty"},
		{"n01440764/n01440764_10027.JPEG", "short"},
		{"n02119789/clear.png", "(0, 0) is transparent"},
		{"n02119789/flat.png", "equal"},
		{"n02119789/pixel.png", "equal"},
		{"n02119789/wide.png", "checksum"},
		{"readme.txt", "no PNG, JPEG or GIF"},
	}
	r := m.Report()
	must.Need(t, r.Files == 12 && len(r.Skipped) == len(want), "%v", r)
	for i, w := range want {
		if s := r.Skipped[i]; s.Path != filepath.FromSlash(w.path) || !strings.Contains(s.Reason, w.says) {
			t.Errorf("skipped %q: %q; want %s, %s", s.Path, s.Reason, w.path, w.says)
		}
	}
	s := r.String()
	must.Be(t, strings.HasPrefix(s, "8 of 12 files skipped; cut.png: "), "%v", s)
}

func TestFolderWithoutImagesIsAnError(t *testing.T) {
	o := ImageFolder{Path: t.TempDir()}
	_, err := o.Open()
	must.Says(t, "empty", err, "none of 0 files")
	must.Do(t, os.WriteFile(filepath.Join(o.Path, "a.txt"), []byte("text"), 0o600))
	_, err = o.Open()
	must.Says(t, "no image", err, "none of 1 files|a.txt: it is no PNG, JPEG or GIF; save it as one")
	_, err = ImageFolder{Path: filepath.Join(o.Path, "missing")}.Open()
	must.Says(t, "missing", err, "missing")
	_, err = ImageFolder{}.Open()
	must.Says(t, "no path", err, "without Path")
	_, err = ImageFolder{Path: o.Path, Zoom: 0.5}.Open()
	must.Says(t, "zoom", err, "zoom 0.5")
}

func TestLinksInFolders(t *testing.T) {
	m := folder(t, ImageFolder{Rows: 8, Cols: 8}, map[string][]byte{"a.png": imagetest.PNG(t, imagetest.Photo(9, 9, 3)),
		"sub/b.png": imagetest.PNG(t, imagetest.Photo(9, 9, 5))})
	for link, to := range map[string]string{"c.png": "a.png", "d.png": "gone.png", "e": "sub"} {
		if err := os.Symlink(filepath.Join(m.root, to), filepath.Join(m.root, link)); err != nil {
			t.Skip(err)
		}
	}
	m = must.Get(ImageFolder{Path: m.root, Rows: 8, Cols: 8}.Open())(t)
	for i := range len(m.files) {
		must.Do(t, m.item(1, i, make([]float64, 64)))
	}
	must.Equal(t, m.Report().String(), "2 of 5 files skipped; d.png: no such file or directory; e: is a directory")
}

func manyPhotos(t *testing.T) map[string][]byte {
	files := badFolder(t)
	for i := range 20 {
		files[fmt.Sprintf("more/%02d.png", i)] = imagetest.PNG(t, imagetest.Photo(40+i, 30, 2+i))
	}
	return files
}

// The sequence depends on the seed alone: not on the number of goroutines, where it is entered, or what was read
// before.
func TestItemsAreReproducible(t *testing.T) {
	files := manyPhotos(t)
	options := ImageFolder{Rows: 12, Cols: 12, Zoom: 2, Flip: true}
	take := func(m *Images, seed uint64, from, workers, n int) (out [][]float64) {
		out = make([][]float64, n)
		var all errgroup.Group
		all.SetLimit(workers)
		for i := range out {
			out[i] = make([]float64, m.Dim())
			all.Go(func() error { return m.item(seed, from+i, out[i]) })
		}
		must.Do(t, all.Wait())
		return out
	}
	same := func(a, b []float64) bool { return slices.Equal(a, b) }
	m := folder(t, options, files)
	want := take(m, 5, 0, 1, 80) // two epochs and a half
	got := take(folder(t, options, files), 5, 0, 4, 80)
	must.Be(t, slices.EqualFunc(want, got, same), "four workers make another sequence than one")
	got = take(m, 5, 30, 2, 50)
	must.Be(t, slices.EqualFunc(want[30:], got, same), "a sequence entered at image 30 differs")
	got = take(m, 6, 0, 2, 80)
	must.Be(t, !slices.EqualFunc(want, got, same), "another seed makes the same sequence")
}

func TestZoomAndFlip(t *testing.T) {
	// A ramp along x: a cut has the slope of the ramp times its scale before it
	// is scaled, and is a ramp again; flips turn it around.
	ramp := imagetest.Paint(image.NewGray16(image.Rect(0, 0, 400, 300)),
		func(x, y int) color.Color { return color.Gray16{uint16(100*x + y)} })
	m := folder(t, ImageFolder{Rows: 10, Cols: 10, Zoom: 3, Flip: true},
		map[string][]byte{"a.png": imagetest.PNG(t, ramp)})
	up := 0
	for i := range 200 {
		x := make([]float64, 100)
		must.Do(t, m.item(1, i, x))
		if x[9] > x[0] {
			up++
		} else {
			slices.Reverse(x[:10])
		}
		// Differences along a row are equal, but for two cells at the image's border,
		// where the filter sees one side only.
		for c := 3; c < 7; c++ {
			if d := x[c+1] - x[c] - (x[c] - x[c-1]); math.Abs(d) > 1e-3 {
				t.Fatalf("image %d is no ramp: %v", i, x[:10])
			}
		}
	}
	if up < 70 || up > 130 { // 100 ± 4 standard errors of 7
		t.Errorf("%d of 200 images are not mirrored", up)
	}
}

// A part without contrast is replaced, and other parts of its file are still used. So an image depends on nothing that
// was read before.
func TestBlankPartsOfPhotos(t *testing.T) {
	// Four fifths of the image are white. Three parts of ten lie in them.
	sky := imagetest.Paint(image.NewGray(image.Rect(0, 0, 40, 200)), func(x, y int) color.Color {
		if y < 160 {
			return color.White
		}
		return color.Gray{uint8(5*x + y%20)}
	})
	files := map[string][]byte{"white.png": imagetest.PNG(t,
		imagetest.Paint(image.NewGray(image.Rect(0, 0, 9, 9)), func(int, int) color.Color { return color.White }))}
	for _, name := range []string{"a.png", "b.png", "c.png"} {
		files[name] = imagetest.PNG(t, sky)
	}
	options := ImageFolder{Rows: 4, Cols: 4, Zoom: 8, Flip: true}
	item := func(m *Images, i int) []float64 {
		x := make([]float64, m.Dim())
		must.Do(t, m.item(1, i, x))
		return x
	}
	m := folder(t, options, files)
	for i := range 60 {
		x := item(m, i)
		must.Equal(t, x, item(folder(t, options, files), i), "image", i, "depends on the images before")
		must.Be(t, slices.Min(x) == -1 && slices.Max(x) == 1,
			"image %d has values from %g to %g", i, slices.Min(x), slices.Max(x))
	}
	s := m.Report().String()
	must.Be(t, s == "1 of 4 files skipped; white.png: all of its 9 by 9 pixels that are used are "+"equal", "%v", s)
	// Nearly all parts of an image with one dark pixel are blank.
	defer func(n int) { mostBlank = n }(mostBlank)
	mostBlank = 5
	dot := imagetest.Paint(image.NewGray(image.Rect(0, 0, 4, 4000)),
		func(x, y int) color.Color { return color.Gray{uint8(255 * min(1, x+y))} })
	m = folder(t, ImageFolder{Rows: 2, Cols: 2, Zoom: 1}, map[string][]byte{"dot.png": imagetest.PNG(t, dot)})
	must.Says(t, "a dot", m.item(1, 0, make([]float64, 4)),
		"each of 5 random parts|the last of dot.png; lower Zoom (1)")
	_, err := ImageFolder{Path: m.root, Rows: 1, Cols: 1, Zoom: 1}.Open()
	must.Says(t, "one cell", err, "none of 1 files")
}

func TestFolderIsNamedByItsFiles(t *testing.T) {
	a, b := folder(t, ImageFolder{}, manyPhotos(t)), folder(t, ImageFolder{}, manyPhotos(t))
	must.Equal(t, a.String(), b.String(), a, b, "are the same files in two places")
	files := manyPhotos(t)
	files["one more.txt"] = nil
	c := folder(t, ImageFolder{}, files)
	must.Be(t, c.String() != a.String(), "another file does not change the name")
	files = manyPhotos(t)
	files[".DS_Store"], files[filepath.Join(".thumbnails", "one.png")] = []byte("a folder's windows"),
		[]byte("no image")
	must.Equal(t, folder(t, ImageFolder{}, files).String(), a.String(), "with hidden files", "without", a)
}
