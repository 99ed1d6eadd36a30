package raster

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/npy"
)

// ReadFITS reads the image in the primary header and data unit of a FITS file (FITS Standard 4.0, 2016), such as counts
// of a telescope. The axes count pixels from 1 at the lower left, as the standard does, and world coordinates are not
// read. Pixels that are BLANK or NaN are outside of the domain. Axes beyond the second must have one pixel.
func ReadFITS(path string) (grid.Field, error) {
	return open(path, func(r io.Reader) (grid.Field, error) {
		f, err := decodeFITS(r)
		if err != nil {
			return grid.Field{}, fmt.Errorf("fits: %w", err)
		}
		f.Counts = f.Counts || isCounted(filepath.Base(path))
		return f, err
	})
}

// Sizes of the format in bytes: of a block, of which a file is made, and of a card, a line of the header.
const (
	fitsBlock = 2880
	fitsCard  = 80
)

// fitsMost is the largest number of pixels.
const fitsMost = 1 << 28

func decodeFITS(r io.Reader) (grid.Field, error) {
	header, err := fitsHeader(r)
	if err != nil {
		return grid.Field{}, err
	}
	rows, cols, err := header.size()
	if err != nil {
		return grid.Field{}, err
	}
	bits, err := header.number("BITPIX", math.NaN())
	if err != nil {
		return grid.Field{}, err
	}
	scale, errScale := header.number("BSCALE", 1)
	zero, errZero := header.number("BZERO", 0)
	blank, errBlank := header.number("BLANK", math.NaN())
	if err := errors.Join(errScale, errZero, errBlank); err != nil {
		return grid.Field{}, err
	}
	kind, known := map[float64]string{8: "u1", 16: "i2", 32: "i4", 64: "i8", -32: "f4", -64: "f8"}[bits]
	if !known {
		return grid.Field{}, fmt.Errorf("BITPIX is %g; it is 8, 16, 32, 64, -32 or -64", bits)
	}
	sample, width := npy.Number(kind, true)
	var values []float64 // from the bottom, in memory that grows with what the file has
	in, pixel := bufio.NewReader(r), make([]byte, width)
	for n := range rows * cols {
		if _, err := io.ReadFull(in, pixel); err != nil {
			return grid.Field{}, fmt.Errorf("the file ends after %d of %d by %d pixels; it was cut: copy it again", n,
				cols, rows)
		}
		v, exact := sample(pixel)
		if !exact {
			return grid.Field{}, fmt.Errorf("pixel %d is an integer that float64 does not hold; write it as a float", n)
		}
		if v == blank && bits > 0 {
			v = math.NaN()
		}
		values = append(values, zero+scale*v)
	}
	for r := range rows / 2 {
		for c := range cols {
			a, b := r*cols+c, (rows-1-r)*cols+c
			values[a], values[b] = values[b], values[a]
		}
	}
	g := grid.Grid{Rows: rows, Cols: cols, X: grid.Axis{Name: "x", Unit: "pixel", First: 1, Step: 1},
		Y: grid.Axis{Name: "y", Unit: "pixel", First: float64(rows), Step: -1}}
	f, err := g.Field(values)
	unit := strings.ToLower(header["BUNIT"])
	f.Counts = slices.Contains([]string{"count", "counts", "ct", "photon", "photons"}, unit)
	return f, err
}

// fitsKeys has the values of a header by their keywords, texts without quotes.
type fitsKeys map[string]string

// fitsHeader reads the header and leaves the reader at the data.
func fitsHeader(r io.Reader) (fitsKeys, error) {
	header, block := fitsKeys{}, make([]byte, fitsBlock)
	for n := 0; ; n++ {
		if _, err := io.ReadFull(r, block); err != nil || n == 1000 {
			return nil, errors.New("the header has no END; the file was cut or is no FITS file")
		}
		if n == 0 && !strings.HasPrefix(string(block), "SIMPLE  =") {
			return nil, errors.New("this is no FITS file, which begins with the word SIMPLE; unpack it if it is packed")
		}
		for at := 0; at < fitsBlock; at += fitsCard {
			card := string(block[at : at+fitsCard])
			key := strings.TrimSpace(card[:8])
			if key == "END" {
				return header, nil
			}
			if card[8:10] != "= " {
				continue // a comment
			}
			value := strings.TrimSpace(card[10:])
			if strings.HasPrefix(value, "'") {
				value, _, _ = strings.Cut(value[1:], "'")
			} else {
				value, _, _ = strings.Cut(value, "/")
			}
			header[key] = strings.TrimSpace(value)
		}
	}
}

// number returns the number of a keyword, or what it is without one.
func (h fitsKeys) number(key string, without float64) (float64, error) {
	text, there := h[key]
	if !there {
		return without, nil
	}
	v, err := strconv.ParseFloat(strings.Replace(text, "D", "E", 1), 64) // exponents of Fortran
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, fmt.Errorf("%s is %.40q; it must be a number", key, text)
	}
	return v, nil
}

// size returns the numbers of rows and columns.
func (h fitsKeys) size() (rows, cols int, err error) {
	axes, err := h.number("NAXIS", 0)
	if err != nil {
		return 0, 0, err
	}
	if axes < 2 || axes > 999 {
		return 0, 0, fmt.Errorf("the primary unit has %g axes; an image has two: images and tables of extensions are "+
			"not read, copy the image into the primary unit, as by fits.PrimaryHDU of Astropy", axes)
	}
	sizes := [2]int{}
	for k := range int(axes) {
		key := fmt.Sprint("NAXIS", k+1)
		n, err := h.number(key, 0)
		switch {
		case err != nil:
			return 0, 0, err
		case !(n >= 1 && n <= fitsMost) || n != math.Trunc(n) || k >= 2 && n != 1:
			return 0, 0, fmt.Errorf("%s is %g; an image has two axes, of at least one pixel, and one pixel along any "+
				"other: cut it out of the cube", key, n)
		case k < 2:
			sizes[k] = int(n)
		}
	}
	if cols, rows = sizes[0], sizes[1]; rows > fitsMost/cols {
		return 0, 0, fmt.Errorf("the image has %d by %d pixels; cut out a part of at most %d", rows, cols, fitsMost)
	}
	return rows, cols, nil
}
