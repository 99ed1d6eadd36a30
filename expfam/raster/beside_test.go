package raster

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/imagetest"
	"github.com/expfam/lab/internal/must"
)

// tiffOf returns a TIFF of one row of bytes, with further tags.
func tiffOf(t *testing.T, values []byte, more ...tiffEntry) string {
	t.Helper()
	each := func(v uint16) []uint16 { return []uint16{v} }
	tags := append([]tiffEntry{{tagWidth, each(uint16(len(values)))}, {tagHeight, each(1)}, {tagBits, each(8)},
		{tagCompression, each(1)},
		{tagPhotometric, each(1)}, {tagStripOffsets, []uint32{8}}, {tagSamples, each(1)},
		{tagRowsPerStrip, each(1)},
		{tagStripBytes, []uint32{uint32(len(values))}}}, more...)
	slices.SortFunc(tags, func(a, b tiffEntry) int { return int(a.id) - int(b.id) })
	data := append([]byte("II\x2a\x00\x00\x00\x00\x00"), values...)
	if len(data)%2 == 1 {
		data = append(data, 0)
	}
	binary.LittleEndian.PutUint32(data[4:], uint32(len(data)))
	directory := must.Get(tiffDirectory(uint32(len(data)), false, tags))(t)
	return string(data) + string(directory)
}

const (
	wgs84 = `GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS ` +
		`84",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]]`
	utm = `PROJCS["WGS 84 / UTM zone ` +
		`37N",` + wgs84 + `,PROJECTION["Transverse_Mercator"],PARAMETER["central_meridian",39],UNIT["metre",1]]`
)

// What GDAL keeps in files beside a raster is read, or refused with the name of that file.
func TestFilesBesideRasters(t *testing.T) {
	number := func(id uint16, v ...float64) tiffEntry { return tiffEntry{id, v} }
	placed := []tiffEntry{number(tagPixelScale, 2, 2, 0), number(tagTiepoint, 0, 0, 0, 100, 50, 0)}
	bare, four := tiffOf(t, []byte{1, 2, 3, 4}), []byte{1, 2, 3, 4}
	flags := tiffEntry{tagMetadata, []byte(`<GDALMetadata><Item ` +
		`name="INTERNAL_MASK_FLAGS_1">2</Item></GDALMetadata>` + "\x00")}
	missing := tiffEntry{tagNoData, []byte("3\x00\x00\x00\x00")}
	items := func(band, name, value string) tiffEntry {
		return tiffEntry{tagMetadata, fmt.Appendf(nil, "<GDALMetadata><Item name=%q %s>%s</Item></GDALMetadata>\x00",
			name, band, value)}
	}
	pamOf := func(text string) string { return "<PAMDataset>" + text + "</PAMDataset>" }
	band := func(text string) string { return pamOf(`<PAMRasterBand band="1">` + text + `</PAMRasterBand>`) }
	srs := "<SRS>" + strings.ReplaceAll(wgs84, `"`, "&quot;") + "</SRS>"
	const world = "1.0\n0.0\n0.0\n-1.0\n35.5\n2.5\n"
	const there, nowhere = " at 35.5 by 1, 2.5 by -1", " at 0 by 1, 0 by -1"
	for name, c := range map[string]struct {
		raster string
		beside map[string]string
		want   string // values, place and unit, or a part of the error
	}{
		"alone": {bare, nil, "[1 2 3 4]" + nowhere},
		"a mask": {bare, map[string]string{"a.tif.msk": tiffOf(t, []byte{255, 0, 1, 0}, flags)},
			"[1 NaN 3 NaN]" + nowhere},
		"a mask of one": {bare, map[string]string{"a.tif.MSK": tiffOf(t, []byte{255, 0, 1, 0})},
			"[1 NaN 3 NaN]" + nowhere},
		"another size": {bare, map[string]string{"a.tif.msk": tiffOf(t, []byte{0, 255}, flags)},
			"a.tif.msk: the mask has 2 by 1 pixels, the raster 4 by 1; if this mask"},
		"a broken mask": {bare, map[string]string{"a.tif.msk": "II"}, "a.tif.msk: tiff: 6 bytes at 2 are needed"},
		"mask and number": {tiffOf(t, four, missing), map[string]string{"a.tif.msk": tiffOf(t, []byte{0, 255, 0, 255},
			flags)}, "[NaN 2 NaN 4]" + nowhere},
		"they disagree": {tiffOf(t, four, missing), map[string]string{"a.tif.msk": tiffOf(t, []byte{0, 255, 255, 255},
			flags)}, "row 0, column 2 has no value, and the mask"},
		"a number of the metadata": {tiffOf(t, four, items("", "_FillValue", "3")), nil,
			"its metadata have _FillValue=3, " +
				"which some cells have, and no number is declared to mark missing cells; declare it, as by " +
				"gdal_edit.py"},
		"that of the band": {tiffOf(t, four, items(`sample="0"`, "NODATA", " 3 ")), nil,
			"its metadata have NODATA="},
		"that of another band": {tiffOf(t, four, items(`sample="1"`, "nodata", "3")), nil, "[1 2 3 4]" + nowhere},
		"that of no cell":      {tiffOf(t, four, items("", "missing_value", "-9999")), nil, "[1 2 3 4]" + nowhere},
		"that declared too": {tiffOf(t, four, missing, items("", "missing_value", "3")), nil, "[1 2 NaN 4]" +
			nowhere},
		"declared by a word": {tiffOf(t, four, tiffEntry{tagNoData, []byte("none\x00")}), nil,
			`the number without data is "none"; correct it, as by gdal_edit.py -a_nodata`},
		"an overview": {bare, map[string]string{"a.tif.ovr": "anything", "a.tif.xml": "<metadata/>",
			"a.tif.vat.dbf": ""}, "[1 2 3 4]" + nowhere},
		"a world file": {bare, map[string]string{"a.tfw": world}, "[1 2 3 4]" + there},
		"of Windows": {bare, map[string]string{"a.TFW": strings.ReplaceAll(world, "\n", "\r\n") + "\r\n"},
			"[1 2 3 4]" + there},
		"by commas": {bare, map[string]string{"a.tifw": strings.ReplaceAll(world, ".", ",")}, "[1 2 3 4]" + there},
		"wld":       {bare, map[string]string{"a.wld": world}, "[1 2 3 4]" + there},
		"with degrees": {bare, map[string]string{"a.tfw": world, "a.prj": wgs84},
			"[1 2 3 4]" + there + " ° on a sphere"},
		"with metres": {bare, map[string]string{"a.tfw": world, "a.PRJ": utm}, "[1 2 3 4]" + there + " m"},
		"with grads": {bare, map[string]string{"a.tfw": world, "a.prj": strings.Replace(wgs84,
			`"degree",0.0174532925199433`, `"grad",0.0157079632679489`, 1)},
			"its angles are in grad; only degrees"},
		"from Paris": {bare, map[string]string{"a.tfw": world, "a.prj": strings.Replace(wgs84, `"Greenwich",0`,
			`"Paris",2.33722917`, 1)}, "its longitudes count from Paris"},
		"rotated": {bare, map[string]string{"a.tfw": "1\n0.1\n0.1\n-1\n0\n0\n"}, "the grid is rotated"},
		"five lines": {bare, map[string]string{"a.tfw": "1\n0\n0\n-1\n35.5\n"},
			"a.tfw: a world file has six lines with a number each, this has 5"},
		"one line": {bare, map[string]string{"a.wld": "1 0 0 -1 35.5 2.5"}, "this has 1 lines"},
		"its own place": {tiffOf(t, four, placed...), map[string]string{"a.tfw": world, "a.tab": "!table"},
			"[1 2 3 4] at 101 by 2, 49 by -2"},
		"MapInfo": {bare, map[string]string{"a.tab": "!table"},
			"a.tab: this file places the raster, and is not read"},
		"polynomials":       {bare, map[string]string{"a.RPB": "x"}, "a.RPB: this file places"},
		"inner polynomials": {tiffOf(t, four, number(tagRPC, 1)), nil, "rational polynomials place the raster"},
		"statistics": {bare, map[string]string{"a.tif.aux.xml": band(`<Histograms/><Metadata><MDI ` +
			`key="STATISTICS_MEAN">9</MDI></Metadata>`)}, "[1 2 3 4]" + nowhere},
		"no data": {bare, map[string]string{"a.tif.aux.xml": band(`<NoDataValue ` +
			`le_hex_equiv="0">4</NoDataValue>`)}, "[1 2 3 NaN]" + nowhere},
		"not these " +
			"data": {tiffOf(t, four, missing), map[string]string{"a.tif.aux.xml": band(`<NoDataValue>4</NoDataValue>`)},
			"[1 2 3 NaN]" + nowhere},
		"another band": {bare, map[string]string{"a.tif.aux.xml": pamOf(`<PAMRasterBand ` +
			`band="2"><NoDataValue>4</NoDataValue></PAMRasterBand>`)}, "[1 2 3 4]" + nowhere},
		"a scale": {bare,
			map[string]string{"a.tif.aux.xml": band(
				"<Offset>1</Offset><Scale>0.5</Scale><NoDataValue>4</NoDataValue>")},
			"[1.5 2 2.5 NaN]" + nowhere},
		"a scale of 0": {bare, map[string]string{"a.tif.aux.xml": band("<Scale>0</Scale>")},
			`a.tif.aux.xml: the scale of band 1 is "0"`},
		"a place": {tiffOf(t, four, placed...), map[string]string{"a.tif.aux.xml": pamOf(srs + "<GeoTransform>  " +
			"35, 1, 0, 3, 0, -1</GeoTransform>")}, "[1 2 3 4]" + there + " ° on a sphere"},
		"a system alone": {tiffOf(t, four, placed...), map[string]string{"a.tif.aux.xml": pamOf(srs)},
			"[1 2 3 4] at 101 by 2, 49 by -2 ° on a sphere"},
		"a short place": {bare, map[string]string{"a.tif.aux.xml": pamOf("<GeoTransform>35, 1</GeoTransform>")},
			`the transform is "35, 1"`},
		"control points": {bare, map[string]string{"a.tif.aux.xml": pamOf("<GCPList><GCP/></GCPList>")},
			"a.tif.aux.xml: control points place the raster"},
		"those of ESRI": {bare, map[string]string{"a.tif.aux.xml": pamOf(`<Metadata ` +
			`domain="xml:ESRI"><GeodataXform><SourceGCPs/></GeodataXform></Metadata>`)}, "control points place"},
		"no XML": {bare, map[string]string{"a.tif.aux.xml": "statistics"}, "a.tif.aux.xml: it is not metadata of GDAL"},
	} {
		folder := t.TempDir()
		for file, text := range c.beside {
			must.Do(t, os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600))
		}
		path := filepath.Join(folder, "a.tif")
		must.Do(t, os.WriteFile(path, []byte(c.raster), 0o600))
		f, err := GeoTIFF{}.Read(path)
		if err != nil {
			must.Be(t, strings.Contains(err.Error(), c.want), "%s: error %v; want %s", name, err, c.want)
			continue
		}
		must.Equal(t, placeOf(f), c.want, name)
	}
}

// placeOf writes values, axes and units.
func placeOf(f grid.Field) string {
	x, y := f.Grid.Axes()
	text := fmt.Sprintf("%v at %g by %g, %g by %g", f.Values, x.First, x.Step, y.First, y.Step)
	if x.Unit != "" {
		text += " " + x.Unit
	}
	if f.Grid.Radius != 0 {
		text += " on a sphere"
	}
	return text
}

// An image with a world file is a raster.
func TestWorldFileOfAnImage(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.png")
	put := func(name, text string) {
		t.Helper()
		must.Do(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	put("a.png", string(imagetest.PNG(t, imagetest.Photo(6, 4, 3))))
	put("a.pgw", "0.5\n0\n0\n-0.5\n35.5\n2.5\n")
	put("a.prj", wgs84)
	f, err := ReadImage(path)
	if x, y := f.Grid.Axes(); err != nil || x.First != 35.5 || x.Step != 0.5 || y.First != 2.5 || y.Step != -0.5 ||
		f.Grid.Radius != grid.EarthRadius {
		t.Errorf("%+v, %v", f.Grid, err)
	}
	put("a.png.aux.xml", `<PAMDataset><PAMRasterBand band="1"><NoDataValue>0</NoDataValue></PAMRasterBand></PAMDataset>`)
	_, err = ReadImage(path)
	must.Says(t, "no data", err, "a.png.aux.xml: pixels of an image are scaled")
	must.Do(t, os.Remove(filepath.Join(folder, "a.pgw")))
	put("a.png.aux.xml", `<PAMDataset><GeoTransform>35.25,0.5,0,2.75,0,-0.5</GeoTransform></PAMDataset>`)
	again := must.Get(ReadImage(path))(t)
	must.Be(t, again.Grid.X == f.Grid.X && again.Grid.Y == f.Grid.Y && again.Grid.Radius == f.Grid.Radius, "%+v",
		again.Grid)
}
