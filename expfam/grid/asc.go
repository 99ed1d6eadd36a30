package grid

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// ReadASCIIGrid reads an ESRI ASCII grid (.asc): ncols, nrows, xllcorner or
// xllcenter, yllcorner or yllcenter, cellsize (or GDAL's dx and dy),
// nodata_value (−9999 if it is missing), then the rows from the top. Cells without
// data are outside of the domain.
func ReadASCIIGrid(path string) (Field, error) {
	return open(path, decodeASCII)
}

func decodeASCII(r io.Reader) (Field, error) {
	words := bufio.NewScanner(r)
	words.Split(bufio.ScanWords)
	header := map[string]float64{}
	var values []float64
	word := ""
	for words.Scan() {
		word = words.Text()
		if len(header) == 0 {
			word = strings.TrimPrefix(word, "\ufeff") // a byte order mark is no part of the first key
		}
		if v, err := strconv.ParseFloat(word, 64); err == nil {
			values = append(values, v)
			break // the first value of the raster
		}
		key := strings.ToLower(word)
		if !asciiKeys[key] {
			return Field{}, fmt.Errorf("asc: %.40q is no key of the header; it has ncols, nrows, xllcorner, yllcorner, cellsize and nodata_value", word)
		}
		if _, twice := header[key]; twice {
			return Field{}, fmt.Errorf("asc: the header has %s twice; keep one", key)
		}
		if !words.Scan() {
			return Field{}, fmt.Errorf("asc: the file ends after %s", key)
		}
		v, err := strconv.ParseFloat(words.Text(), 64)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) && key != "nodata_value" {
			return Field{}, fmt.Errorf("asc: %s is %.40q; it must be a number", key, words.Text())
		}
		header[key] = v
	}
	g, err := asciiGrid(header)
	if err != nil {
		return Field{}, err
	}
	for words.Scan() {
		v, err := strconv.ParseFloat(words.Text(), 64)
		if err != nil {
			r, c := g.Cell(len(values))
			return Field{}, fmt.Errorf("asc: row %d, column %d: %.40q is no number", r, c, words.Text())
		}
		if values = append(values, v); len(values) > g.Len() {
			return Field{}, fmt.Errorf("asc: there are more values than %d rows of %d columns; correct the header", g.Rows, g.Cols)
		}
	}
	if err := words.Err(); err != nil {
		return Field{}, fmt.Errorf("asc: %w", err)
	}
	if len(values) != g.Len() {
		return Field{}, fmt.Errorf("asc: %d values for %d rows of %d columns; the file was cut", len(values), g.Rows, g.Cols)
	}
	nodata, ok := header["nodata_value"]
	if !ok {
		nodata = -9999
	}
	mask(values, nodata)
	f, err := fieldOf(g, values)
	if err != nil {
		return Field{}, fmt.Errorf("asc: %w", err)
	}
	return f, nil
}

var asciiKeys = map[string]bool{"ncols": true, "nrows": true, "xllcorner": true, "xllcenter": true,
	"yllcorner": true, "yllcenter": true, "cellsize": true, "dx": true, "dy": true, "nodata_value": true}

func asciiGrid(header map[string]float64) (Grid, error) {
	rows, cols := header["nrows"], header["ncols"]
	if !(rows >= 1 && cols >= 1 && rows*cols < math.MaxInt32) || rows != math.Trunc(rows) || cols != math.Trunc(cols) {
		return Grid{}, fmt.Errorf("asc: nrows %g, ncols %g; both must be whole numbers of at least 1", rows, cols)
	}
	dx, errX := asciiSize(header, "dx")
	dy, errY := asciiSize(header, "dy")
	if err := errors.Join(errX, errY); err != nil {
		return Grid{}, err
	}
	if !(dx > 0 && dy > 0) {
		return Grid{}, fmt.Errorf("asc: cells of %g by %g; cellsize, or dx and dy, must be positive", dx, dy)
	}
	left, errX := asciiCentre(header, "xll", dx)
	low, errY := asciiCentre(header, "yll", dy)
	g := Grid{Rows: int(rows), Cols: int(cols), X: Axis{Name: "x", First: left, Step: dx}}
	g.Y = Axis{Name: "y", First: low + (rows-1)*dy, Step: -dy}
	return g, errors.Join(errX, errY)
}

// asciiSize returns the size of a cell along x or y: the header's cellsize, or the value of
// key, which is dx or dy.
func asciiSize(header map[string]float64, key string) (float64, error) {
	size, square := header["cellsize"]
	side, own := header[key]
	switch {
	case square && own:
		return 0, fmt.Errorf("asc: there are cellsize and %s; give one", key)
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
		return 0, fmt.Errorf("asc: there are %scorner and %scenter; give one", key, key)
	case c:
		return corner + size/2, nil
	case m:
		return centre, nil
	}
	return 0, fmt.Errorf("asc: there is no %scorner and no %scenter", key, key)
}

// mask replaces values that equal nodata by NaN, or that equal nodata rounded to single precision, as
// values of single precision do where nodata is 1e20 or −99.9. If nodata is as large as the largest
// number of single precision, the values are compared in single precision, because header
// and values may write it with different digits.
func mask(values []float64, nodata float64) {
	huge, single := math.Abs(nodata) > 1e30, float64(float32(nodata))
	for j, v := range values {
		if v == nodata || v == single || huge && float32(v) == float32(nodata) {
			values[j] = math.NaN()
		}
	}
}
