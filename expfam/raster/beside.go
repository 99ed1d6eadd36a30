package raster

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/internal/safefile"
)

// beside is the path of a raster, of which files beside it say more. It is "" if there are none.
type beside string

// stem returns the path without the ending.
func (b beside) stem() string { return strings.TrimSuffix(string(b), filepath.Ext(string(b))) }

// find returns the content of the first file that exists, of paths that differ from that of the raster by an ending.
// The ending may be in upper case. The path is "" if there is none.
func (b beside) find(before string, endings ...string) (path string, content []byte, err error) {
	if b == "" {
		return "", nil, nil
	}
	for _, e := range endings {
		for _, path := range []string{before + e, before + strings.ToUpper(e)} {
			info, err := os.Stat(path)
			if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
				continue
			}
			if err == nil {
				content, err = safefile.Read(path, math.MaxInt64)
			}
			if err != nil {
				return "", nil, err
			}
			return path, content, nil
		}
	}
	return "", nil, nil
}

// about names the file beside the raster that an error is about.
func about(path string, err error) error { return fmt.Errorf("%s: %w", filepath.Base(path), err) }

func sixNumbers(words []string) (m [6]float64, ok bool) {
	if len(words) != 6 {
		return m, false
	}
	for i, w := range words {
		v, err := strconv.ParseFloat(strings.Replace(w, ",", ".", 1), 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return m, false
		}
		m[i] = v
	}
	return m, true
}

// world reads a world file: six lines with the steps and the centre of the first pixel. Of a .tif these are .tfw, .tifw
// or .wld. The transform is nil if there is no such file.
func (b beside) world() (*transform, error) {
	e := strings.ToLower(strings.TrimPrefix(filepath.Ext(string(b)), "."))
	endings := []string{"." + e + "w", ".wld"}
	if len(e) >= 3 {
		endings = append([]string{"." + e[:1] + e[len(e)-1:] + "w"}, endings...)
	}
	path, content, err := b.find(b.stem(), endings...)
	if path == "" || err != nil {
		return nil, err
	}
	lines := strings.FieldsFunc(strings.TrimPrefix(string(content), "\ufeff"), func(r rune) bool {
		return r == '\n' || r == '\r'
	})
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	for len(lines) > 6 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	m, ok := sixNumbers(lines)
	if !ok {
		return nil, about(path, fmt.Errorf("a world file has six lines with a number each, this has %d lines: "+
			"%.60q; write "+
			"it again, or the place into the raster with gdal_edit.py -a_ullr", len(lines), strings.Join(lines, " ")))
	}
	return &transform{m[4], m[0], m[2], m[5], m[1], m[3]}, nil
}

// projection reads the .prj file beside the raster.
func (b beside) projection() (*reference, error) {
	path, content, err := b.find(b.stem(), ".prj")
	if path == "" || err != nil {
		return nil, err
	}
	r, err := parseReference(string(content))
	if err != nil {
		return nil, about(path, err)
	}
	return &r, nil
}

// elsewhere refuses a raster whose place is in a file beside it that is not read.
func (b beside) elsewhere() error {
	for _, ending := range []string{".tab", ".rpb", "_rpc.txt", ".rpc", ".tfwx", ".tifwx"} {
		path, _, err := b.find(b.stem(), ending)
		if err != nil {
			return err
		}
		if path != "" {
			return about(path, errors.New("this file places the raster, and is not read; write the place into the "+
				"raster, as by gdalwarp old.tif new.tif"))
		}
	}
	return nil
}

// settle applies to a field what the files beside it say: the kind of its coordinates if it has a place, and which
// cells are missing.
func (b beside) settle(f *grid.Field) error {
	aux, err := b.pam(0)
	if err != nil {
		return err
	}
	r := aux.reference
	if r == nil {
		if r, err = b.projection(); err != nil {
			return err
		}
	}
	if r != nil && f.Grid.X.Step != 0 {
		r.apply(&f.Grid)
	}
	if aux.nodata != nil {
		mask(f.Values, *aux.nodata)
	}
	valid, err := b.mask(0, f.Grid.Cols, f.Grid.Rows)
	if err != nil {
		return err
	}
	for j, v := range valid {
		if v == 0 {
			f.Values[j] = math.NaN()
		}
	}
	if aux.scale != nil || aux.offset != nil {
		return about(aux.path, errors.New("it has a scale or an offset, which are read beside GeoTIFFs only; apply "+
			"them, as by gdal_translate -unscale"))
	}
	*f, err = f.Grid.Field(f.Values)
	return err
}
