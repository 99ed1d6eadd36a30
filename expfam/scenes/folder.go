package scenes

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/grayscale"
)

// ImageFolder describes a prior of the images in a folder and all its subfolders, such as ImageNet's
// train/n01440764/*.JPEG. If only Path is set, images are prepared as in the paper ([ReadPhoto]).
type ImageFolder struct {
	Path       string // files and folders below it whose names begin with a dot are left out
	Rows, Cols int    // default 64 each
	// Zoom cuts out a part with the shape Rows : Cols at a random place. Its edge is between
	// 1/Zoom and 1 of the edge of the largest part that fits, log-uniformly. Default 0: the
	// largest part, at the centre. With 1: the largest part, at a random place.
	Zoom float64
	// Flip mirrors an image left to right with probability ½.
	Flip bool
}

// Images is a folder that was opened. An image is decoded when it is needed and is not kept; only the list of files
// stays in memory. Methods may be called from several goroutines at once.
//
// A file that cannot be used never stops a training. Another image takes its place, chosen
// by the random generator, and [Images.Report] names the file. Another image also takes the place
// of a part without contrast that Zoom cuts out, such as a piece of a white sky. The report does not
// name the file of such a part, and other parts of the file are used.
type Images struct {
	options ImageFolder
	root    string
	files   []string // relative to the root, in lexical order
	digest  string   // hash of the names and sizes of the files

	mu      sync.Mutex
	skipped map[int]string // reason why a file cannot be used, by its index
}

// Open lists the files. It is an error if none of them is an image.
func (f ImageFolder) Open() (*Images, error) {
	f.Rows = cmp.Or(f.Rows, 64)
	f.Cols = cmp.Or(f.Cols, 64)
	if f.Rows < 1 || f.Cols < 1 || f.Rows > grayscale.MaxPixels/f.Cols ||
		!(f.Zoom == 0 || f.Zoom >= 1 && f.Zoom < 100) {
		return nil, fmt.Errorf("scenes: images of %d by %d cells, zoom %g; the sizes must be at least 1, and Zoom 0 "+
			"or from 1 to 100", f.Rows, f.Cols, f.Zoom)
	}
	if f.Path == "" {
		return nil, errors.New("scenes: an image folder without Path; give the path of the folder, or . for the " +
			"working folder")
	}
	// A root that is a link is followed. Links to folders below the root are not.
	root, err := filepath.EvalSymlinks(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		folder, _ := os.Getwd()
		return nil, fmt.Errorf("scenes: there is no folder %s in %s: put it there, or give its whole path", f.Path,
			folder)
	}
	if err != nil {
		return nil, fmt.Errorf("scenes: image folder: %w", err)
	}
	m := &Images{options: f, root: root, skipped: map[int]string{}}
	hash := sha256.New()
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		// What an operating system or an editor keeps beside the images, such as .DS_Store, is no image.
		if hidden := strings.HasPrefix(entry.Name(), ".") && path != root; hidden && entry.IsDir() {
			return filepath.SkipDir
		} else if hidden || entry.IsDir() {
			return nil
		}
		// A link to a file counts as that file. A broken link, or a link to a folder, is
		// listed too, so that the report names it as skipped.
		size := int64(0)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			size = info.Size()
		} else if err == nil && !info.IsDir() {
			return nil // a pipe or a device
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		m.files = append(m.files, name)
		fmt.Fprintf(hash, "%q %d\n", filepath.ToSlash(name), size)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("scenes: image folder: %w", err)
	}
	m.digest = hex.EncodeToString(hash.Sum(nil)[:6])
	x := make([]float64, m.Dim())
	for i := range m.files {
		if m.load(i, expfam.Stream(0, "open"), x) != unusable {
			return m, nil
		}
	}
	return nil, fmt.Errorf("scenes: image folder %s: none of %d files is an image that can be used; %v", f.Path,
		len(m.files), m.Report())
}

// String names the prior by the names and sizes of the files, not by the folder.
// [Images.Fingerprint] covers their contents.
func (m *Images) String() string {
	o := m.options
	return fmt.Sprintf("images(%d files, %s, %dx%d, zoom=%g, flip=%v)", len(m.files), m.digest, o.Rows, o.Cols, o.Zoom,
		o.Flip)
}

// Dim returns the number of cells.
func (m *Images) Dim() int { return m.options.Rows * m.options.Cols }

// Len returns the number of files.
func (m *Images) Len() int { return len(m.files) }

// Concurrent says that images are decoded on all processors.
func (m *Images) Concurrent() {}

// Grid returns the lattice of the images.
func (m *Images) Grid() grid.Grid { return grid.Grid{Rows: m.options.Rows, Cols: m.options.Cols} }

// Lattice returns the rows and columns of the images; see [expfam.Lattice].
func (m *Images) Lattice() (rows, cols int) { return m.options.Rows, m.options.Cols }

// Bounds returns the bounds of grey values.
func (m *Images) Bounds() (low, high float64) { return -1, 1 }

// Draw fills x with the image of a random file. It panics if no file can be read, or if thousands of parts in a row
// have no contrast, because expfam.Simulator returns no errors.
func (m *Images) Draw(rng *rand.Rand, x []float64) {
	if err := m.fill(rng.IntN(len(m.files)), rng, x); err != nil {
		panic(err)
	}
}

// errNoImages is the error when all files were skipped.
var errNoImages = errors.New("scenes: none of the files of the image folder can be read any more")

// mostBlank is the number of parts in a row without contrast after which fill gives up.
var mostBlank = 10000

// fill loads a file. If the file or its part cannot be used, it tries random files until one can be used. It takes the
// same numbers from the generator whether a file was found to be unusable before or is found so now.
func (m *Images) fill(file int, rng *rand.Rand, x []float64) error {
	for parts := 0; ; {
		switch m.load(file, rng, x) {
		case loaded:
			return nil
		case blankPart:
			if parts++; parts == mostBlank {
				return fmt.Errorf("scenes: the pixels of each of %d random parts of the image folder are equal, the "+
					"last of %s; lower Zoom (%g)", parts, m.files[file], m.options.Zoom)
			}
		}
		m.mu.Lock()
		none := len(m.skipped) == len(m.files)
		m.mu.Unlock()
		if none {
			return errNoImages
		}
		file = rng.IntN(len(m.files))
	}
}

// loading is the result of loading a part of a file.
type loading int

const (
	loaded    loading = iota
	blankPart         // the pixels of this part are equal, and those of other parts differ
	unusable          // no part of the file can be used
)

// errBlankPart is the error of a part without contrast in an image with contrast.
var errBlankPart = errors.New("all pixels of the part are equal")

// load fills x with a random part of the image of a file. It notes the reason why a file cannot be used.
func (m *Images) load(file int, rng *rand.Rand, x []float64) loading {
	cut := [4]float64{rng.Float64(), rng.Float64(), rng.Float64(), rng.Float64()}
	m.mu.Lock()
	_, bad := m.skipped[file]
	m.mu.Unlock()
	if bad {
		return unusable
	}
	switch err := m.decode(filepath.Join(m.root, m.files[file]), cut, x); err {
	case nil:
		return loaded
	case errBlankPart:
		return blankPart
	default:
		m.mu.Lock()
		m.skipped[file] = err.Error()
		m.mu.Unlock()
		return unusable
	}
}

// decode fills x with the image of a file. cut has the random numbers, in [0, 1), for the
// size, the top, the left and the mirroring of the part that is used.
func (m *Images) decode(path string, cut [4]float64, x []float64) error {
	g, err := grayscale.Open(path)
	if err != nil {
		// The report names the file already, so the innermost error suffices.
		for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(next) {
			err = next
		}
		return err
	}
	if !stretch(m.options.part(g, cut), x) {
		if m.options.Zoom > 0 && m.Dim() > 1 && slices.Min(g.Pix) < slices.Max(g.Pix) {
			return errBlankPart
		}
		return fmt.Errorf("all of its %d by %d pixels that are used are equal", g.W, g.H)
	}
	if m.options.Flip && cut[3] < 0.5 {
		for _, row := range m.Grid().Matrix(x) {
			slices.Reverse(row)
		}
	}
	return nil
}

// part cuts out the part of an image that is used, and resizes it.
func (f ImageFolder) part(g grayscale.Image, cut [4]float64) []float32 {
	if f.Zoom == 0 {
		return g.Fit(f.Rows, f.Cols)
	}
	scale := min(float64(g.H)/float64(f.Rows), float64(g.W)/float64(f.Cols)) * math.Pow(f.Zoom, -cut[0])
	top := cut[1] * (float64(g.H) - scale*float64(f.Rows))
	left := cut[2] * (float64(g.W) - scale*float64(f.Cols))
	return g.Resize(f.Rows, f.Cols, top, left, scale)
}
