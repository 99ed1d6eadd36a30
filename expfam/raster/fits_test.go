package raster_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam/raster"
	"github.com/expfam/lab/internal/must"
)

// fits is a FITS file with cards and data.
func fits(cards []string, data []byte) []byte {
	var b []byte
	for _, card := range append(cards, "END") {
		b = append(b, fmt.Sprintf("%-80s", card)...)
	}
	for len(b)%2880 > 0 {
		b = append(b, ' ')
	}
	b = append(b, data...)
	return append(b, make([]byte, (2880-len(b)%2880)%2880)...)
}

func readFITS(t testing.TB, data []byte) (string, func() ([]float64, error)) {
	path := filepath.Join(t.TempDir(), "a.fits")
	must.Do(t, os.WriteFile(path, data, 0o600))
	return path, func() ([]float64, error) {
		f, err := raster.ReadFITS(path)
		return f.Values, err
	}
}

// TestFITS: the types of pixels of the standard, unsigned numbers by BZERO and missing ones. The first row of a file is
// the lowest.
func TestFITS(t *testing.T) {
	head := func(bits int, more ...string) []string {
		return append([]string{"SIMPLE  =                    T / a comment", fmt.Sprintf("BITPIX  = %20d", bits),
			"NAXIS   =                    2", "NAXIS1  =                    3", "NAXIS2  =                    2"},
			more...)
	}
	big := binary.BigEndian
	var shorts, floats, doubles, longs []byte
	for _, v := range []int16{-32768, -32767, -32766, 32767, 0, -1} {
		shorts = big.AppendUint16(shorts, uint16(v))
	}
	for _, v := range []float64{1, 2.5, math.NaN(), 4, 5, -6e10} {
		floats = big.AppendUint32(floats, math.Float32bits(float32(v)))
		doubles = big.AppendUint64(doubles, math.Float64bits(v))
	}
	for _, v := range []int64{1 << 40, -5, 0, 1, 2, 3} {
		longs = big.AppendUint64(longs, uint64(v))
	}
	nan := math.NaN()
	single := float64(float32(-6e10))
	for name, c := range map[string]struct {
		cards []string
		data  []byte
		want  []float64 // from the top
	}{
		"bytes":    {head(8), []byte{1, 2, 3, 4, 5, 255}, []float64{4, 5, 255, 1, 2, 3}},
		"unsigned": {head(16, "BZERO   =              32768.0"), shorts, []float64{65535, 32768, 32767, 0, 1, 2}},
		"blank": {head(16, "BLANK   =                   -1", "BSCALE  =              1.0D-1"), shorts,
			[]float64{3276.7, 0, nan, -3276.8, -3276.7, -3276.6}},
		"floats":  {head(-32), floats, []float64{4, 5, single, 1, 2.5, nan}},
		"doubles": {head(-64), doubles, []float64{4, 5, -6e10, 1, 2.5, nan}},
		"longs": {head(64, "HISTORY made by hand", "OBJECT  = 'it / is'' M31'"), longs,
			[]float64{1, 2, 3, 1 << 40, -5, 0}},
	} {
		_, read := readFITS(t, fits(c.cards, c.data))
		got := must.Get(read())(t, name)
		if !slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 || a != a && b != b }) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	path, _ := readFITS(t, fits(head(8, "BUNIT   = 'counts/s'"), make([]byte, 6)))
	f := must.Get(raster.ReadFITS(path))(t)
	must.Equal(t, f.Counts, false, "counts a second")
	path, _ = readFITS(t, fits(head(8, "BUNIT   = 'count   '"), make([]byte, 6)))
	f = must.Get(raster.ReadFITS(path))(t)
	must.Equal(t, f.Counts, true, "counts")
	x, y := f.Grid.Centre(f.Grid.Index(1, 0))
	must.Equal(t, [2]float64{x, y}, [2]float64{1, 1}, "the pixel at the lower left")
}

// TestFITSOfAstropy: a file of testdata/fits.py has its counts in their places.
func TestFITSOfAstropy(t *testing.T) {
	f := must.Get(raster.ReadFITS("testdata/counts.fits"))(t)
	must.Equal(t, f.Counts, true, "counts")
	for j, v := range f.Values {
		r, c := f.Grid.Cell(j)
		must.Equal(t, v, float64(1000*(2-r)+c+40000), "row", r, "column", c)
	}
}

// TestFITSRefused: what is no image is refused by one sentence, and files that are cut or damaged anywhere end in an
// error or a field.
func TestFITSRefused(t *testing.T) {
	simple, bits := "SIMPLE  =                    T", "BITPIX  =                    8"
	two, one := "NAXIS   =                    2", "NAXIS1  =                    1"
	for _, c := range []struct {
		data []byte
		want string
	}{
		{[]byte("GIF89a"), "the header has no END"},
		{make([]byte, 2880), "this is no FITS file"},
		{fits([]string{simple, bits, "NAXIS   =                    0"}, nil), "the primary unit has 0 axes"},
		{fits([]string{simple, bits, two, one, "NAXIS2  =                    0"}, nil), "NAXIS2 is 0"},
		{fits([]string{simple, bits, "NAXIS   =                    3", one, "NAXIS2  =  1", "NAXIS3  =  9"}, nil),
			"cut it out of the cube"},
		{fits([]string{simple, "BITPIX  = 12", two, one, "NAXIS2  = 1"}, nil), "BITPIX is 12"},
		{fits([]string{simple, "BITPIX  = 'a'", two, one, "NAXIS2  = 1"}, nil), "BITPIX is \"a\""},
		{fits([]string{simple, bits, two, "NAXIS1  = 99999999", "NAXIS2  = 99"}, nil), "cut out a part"},
		{fits([]string{simple, bits, two, "NAXIS1  = 9999999", "NAXIS2  = 9"}, nil), "after 0 of 9999999 by 9 pixels"},
	} {
		_, read := readFITS(t, c.data)
		must.Refuse(read())(t, "fits: ", c.want)
	}
	whole := fits([]string{simple, bits, two, one, "NAXIS2  =                    1"}, []byte{7})
	for n := 0; n < 6*80; n++ {
		damaged := slices.Clone(whole)
		damaged[n] = strings.TrimSpace("9'/= -.Ex")[n%8]
		_, read := readFITS(t, damaged)
		read()
	}
}
