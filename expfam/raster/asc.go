package raster

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/tabular"
)

// ReadASCIIGrid reads an ESRI ASCII grid (.asc): ncols, nrows, xllcorner or xllcenter, yllcorner or yllcenter, cellsize
// (or GDAL's dx and dy), nodata_value (−9999 if it is missing), then the rows from the top. Cells without data are
// outside of the domain. The number without data may be a word, such as null, numbers may have decimal commas or
// exponents of Fortran, and a file in the format of Surfer (DSAA) is read as well. If a .prj file beside it says that
// coordinates are longitude and latitude in degrees, the grid has Radius [grid.EarthRadius].
func ReadASCIIGrid(path string) (grid.Field, error) {
	return open(path, func(r io.Reader) (grid.Field, error) {
		f, err := decodeASCII(r)
		if err != nil {
			return grid.Field{}, fmt.Errorf("asc: %w", err)
		}
		err = beside(path).settle(&f)
		f.Counts = isCounted(filepath.Base(path))
		return f, err
	})
}

// foreign are the first words of other text formats of rasters, and what to do with them.
var foreign = map[string]string{
	"dsbb":      "a binary grid of Surfer; save it as an ASCII grid (DSAA)",
	"dsrb":      "a binary grid of Surfer; save it as an ASCII grid (DSAA)",
	"north:":    "an ASCII raster of GRASS; export it by r.out.gdal format=AAIGrid",
	"proj:":     "an ASCII raster of GRASS; export it by r.out.gdal format=AAIGrid",
	"byteorder": "the header of a binary grid; convert that by gdal_translate -of AAIGrid",
	"envi":      "the header of a binary grid; convert that by gdal_translate -of AAIGrid",
	"p2":        "a picture in text (PGM); convert it by gdal_translate -of AAIGrid",
}

func decodeASCII(r io.Reader) (grid.Field, error) {
	words := bufio.NewScanner(r)
	words.Split(bufio.ScanWords)
	header := map[string]float64{}
	var values []float64
	read := asciiNumbers{}
	first := true
	for words.Scan() {
		word := words.Text()
		if first {
			word = strings.TrimPrefix(word, "\ufeff") // a byte order mark is no part of the first key
		}
		if first && word == "DSAA" {
			return decodeSurfer(words)
		}
		if v, ok := read.number(word); ok {
			values = append(values, v)
			break // the first value of the raster
		}
		key := strings.ToLower(strings.TrimRight(word, ":="))
		if key == "nodata" {
			key = "nodata_value"
		}
		if !asciiKeys[key] {
			if what := foreign[strings.ToLower(word)]; first && what != "" {
				return grid.Field{}, fmt.Errorf("this is %s", what)
			}
			return grid.Field{}, fmt.Errorf("%.40q is no key of the header; it has ncols, nrows, xllcorner, "+
				"yllcorner, cellsize and nodata_value", word)
		}
		first = false
		if _, twice := header[key]; twice {
			return grid.Field{}, fmt.Errorf("the header has %s twice; keep one", key)
		}
		if !words.Scan() {
			return grid.Field{}, fmt.Errorf("the file ends after %s", key)
		}
		v, ok := read.number(words.Text())
		if key == "nodata_value" && !ok {
			read.none, v, ok = words.Text(), math.NaN(), true // such as null
		}
		if !ok || math.IsInf(v, 0) || math.IsNaN(v) && key != "nodata_value" {
			return grid.Field{}, fmt.Errorf("%s is %.40q; it must be a number", key, words.Text())
		}
		header[key] = v
	}
	g, err := asciiGrid(header)
	if err != nil {
		return grid.Field{}, err
	}
	if values, err = read.values(words, g, values); err != nil {
		return grid.Field{}, err
	}
	nodata, ok := header["nodata_value"]
	if !ok {
		nodata = -9999
	}
	mask(values, nodata)
	return g.Field(values)
}

// asciiNumbers reads the words of an ASCII grid.
type asciiNumbers struct {
	none         string // the word of cells without data, if it is no number
	comma, point string // the first numbers with a decimal comma and with a point
	either       string // the first number such as 1,234
	fraction     bool   // some comma can be a decimal one only
}

// number reads a word. Programs write decimal points, or decimal commas in some countries. Some write exponents as
// Fortran does, and NaN as Windows did.
func (n *asciiNumbers) number(word string) (v float64, ok bool) {
	if n.none != "" && strings.EqualFold(word, n.none) {
		return math.NaN(), true
	}
	text := word
	if comma := strings.IndexByte(word, ','); comma >= 0 {
		if text = strings.Replace(word, ",", ".", 1); n.comma == "" {
			n.comma = word
		}
		if _, form, _ := tabular.Number(word, ';', 0); form != tabular.CommaEither {
			n.fraction = true
		} else if n.either == "" {
			n.either = word
		}
	} else if n.point == "" && strings.IndexByte(word, '.') >= 0 {
		n.point = word
	}
	v, err := strconv.ParseFloat(text, 64)
	if err == nil && !strings.ContainsAny(text, "_xX") {
		return v, true
	}
	switch lower := strings.ToLower(text); {
	case strings.Contains(lower, "#ind"), strings.Contains(lower, "#qnan"), strings.Contains(lower, "#snan"),
		strings.HasPrefix(strings.TrimLeft(lower, "+-"), "nan"):
		return math.NaN(), true
	case strings.Count(lower, "d") == 1 && lower[0] != 'd':
		v, err = strconv.ParseFloat(strings.Replace(lower, "d", "e", 1), 64)
		return v, err == nil
	}
	return 0, false
}

// values reads the rest of the values, after the first.
func (n *asciiNumbers) values(words *bufio.Scanner, g grid.Grid, values []float64) ([]float64, error) {
	for words.Scan() {
		v, ok := n.number(words.Text())
		if !ok {
			r, c := g.Cell(len(values))
			return nil, fmt.Errorf("row %d, column %d: %.40q is no number", r, c, words.Text())
		}
		if values = append(values, v); len(values) > g.Len() {
			return nil, fmt.Errorf("there are more values than %d rows of %d columns; correct the header", g.Rows,
				g.Cols)
		}
	}
	if err := words.Err(); err != nil {
		return nil, err
	}
	if len(values) != g.Len() {
		return nil, fmt.Errorf("%d values for %d rows of %d columns; the file was cut", len(values), g.Rows, g.Cols)
	}
	if n.comma != "" && n.point != "" {
		return nil, fmt.Errorf("there are numbers with a decimal comma, %.40q, and with a point, %.40q; write all "+
			"with a point", n.comma, n.point)
	}
	if n.either != "" && !n.fraction {
		return nil, fmt.Errorf("%.40q may be thousands or a fraction, as all numbers with a comma; write fractions "+
			"with a point, and thousands without a mark", n.either)
	}
	return values, nil
}

var asciiKeys = map[string]bool{"ncols": true, "nrows": true, "xllcorner": true, "xllcenter": true,
	"yllcorner": true, "yllcenter": true, "cellsize": true, "dx": true, "dy": true, "nodata_value": true}

func asciiGrid(header map[string]float64) (grid.Grid, error) {
	rows, cols := header["nrows"], header["ncols"]
	if !(rows >= 1 && cols >= 1 && rows*cols < math.MaxInt32) || rows != math.Trunc(rows) || cols != math.Trunc(cols) {
		return grid.Grid{}, fmt.Errorf("nrows %g, ncols %g; both must be whole numbers of at least 1", rows, cols)
	}
	dx, errX := asciiSize(header, "dx")
	dy, errY := asciiSize(header, "dy")
	if err := errors.Join(errX, errY); err != nil {
		return grid.Grid{}, err
	}
	if !(dx > 0 && dy > 0) {
		return grid.Grid{}, fmt.Errorf("cells of %g by %g; cellsize, or dx and dy, must be positive", dx, dy)
	}
	left, errX := asciiCentre(header, "xll", dx)
	low, errY := asciiCentre(header, "yll", dy)
	g := grid.Grid{Rows: int(rows), Cols: int(cols), X: grid.Axis{Name: "x", First: left, Step: dx}}
	g.Y = grid.Axis{Name: "y", First: low + (rows-1)*dy, Step: -dy}
	return g, errors.Join(errX, errY)
}

// asciiSize returns the size of a cell along x or y: the header's cellsize, or the value of key, which is dx or dy.
func asciiSize(header map[string]float64, key string) (float64, error) {
	size, square := header["cellsize"]
	side, own := header[key]
	switch {
	case square && own:
		return 0, fmt.Errorf("there are cellsize and %s; give one", key)
	case square:
		return size, nil
	}
	return side, nil
}

// asciiCentre returns the x or y of the centre of the lower left cell; key is xll or yll.
func asciiCentre(header map[string]float64, key string, size float64) (float64, error) {
	corner, c := header[key+"corner"]
	centre, m := header[key+"center"]
	switch {
	case c && m:
		return 0, fmt.Errorf("there are %scorner and %scenter; give one", key, key)
	case c:
		return corner + size/2, nil
	case m:
		return centre, nil
	}
	return 0, fmt.Errorf("there is no %scorner and no %scenter", key, key)
}

// mask replaces values that equal nodata by NaN, or that equal nodata rounded to single precision, as
// values of single precision do where nodata is 1e20 or −99.9. If nodata is nearly as large as the largest
// number of single precision, values of a thousandth more or less equal it, because header
// and values may write it with different digits, such as −3.4e38 and −3.40282e+38.
func mask(values []float64, nodata float64) {
	single, near := float64(float32(nodata)), 0.0
	if math.Abs(nodata) > 1e38 && math.Abs(nodata) < 1e39 {
		near = 1e-3 * math.Abs(nodata)
	}
	for j, v := range values {
		if v == nodata || v == single || math.Abs(v-nodata) < near {
			values[j] = math.NaN()
		}
	}
}
