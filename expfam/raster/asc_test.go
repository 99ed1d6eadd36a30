package raster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// ASCII grids as other programs and other countries write them.
func TestASCIIDialects(t *testing.T) {
	const head, there = "ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n", " at 0.5 by 1, 1.5 by -1"
	const surfer = "DSAA\n3 2\n10 14\n0 1\n1 6\n"
	for name, c := range map[string]struct{ text, beside, content, want string }{
		"null":   {head + "NODATA_value null\nnull 1 2\n3 NULL 4\n", "", "", "[NaN 1 2 3 NaN 4]" + there},
		"a star": {head + "NODATA *\n1 2 *\n3 * 4\n", "", "", "[1 2 NaN 3 NaN 4]" + there},
		"NaN of Windows": {head + "nodata_value -1.#IND\n1 -1.#IND 2\n3 1.#QNAN 4\n", "", "", "[1 NaN 2 3 NaN 4]" +
			there},
		"NaN of C": {head + "nodata_value -9\n1 -nan 2\n3 -9 4\n", "", "", "[1 NaN 2 3 NaN 4]" + there},
		"another word": {head + "nodata_value null\n1 none 2\n3 null 4\n", "", "",
			`row 0, column 1: "none" is no number`},
		"decimal commas": {"ncols 3\nnrows 2\nxllcorner 0,100000E+06\nyllcorner 0,2\ncellsize 0,5\nNODATA_value " +
			"-9999\n1,5 1 2\n3 -9999 4\n", "", "", "[1.5 1 2 3 NaN 4] at 100000.25 by 0.5, 0.95 by -0.5"},
		"commas as values": {head + "NODATA_value -9999\n1,5 1 2\n3 -9999 4,25\n", "", "", "[1.5 1 2 3 NaN 4.25]" +
			there},
		"commas and points": {head + "1,5 1 2\n3 2.5 4\n", "", "", `a decimal comma, "1,5", and with a point, "2.5"`},
		"commas that may be thousands": {head + "1,234 2,500 3\n4 5 6\n", "", "",
			`"1,234" may be thousands or a fraction, as all numbers with a comma; write`},
		"commas in the corner": {strings.Replace(head, "yllcorner 0", "yllcorner 9,500", 1) + "1 2 3\n4 5 6", "", "",
			`"9,500" may`},
		"three decimals":    {head + "1,234 0,500 3\n4 5 6\n", "", "", "[1.234 0.5 3 4 5 6]" + there},
		"three, one of two": {head + "1,234 2,50 3\n4 5 6\n", "", "", "[1.234 2.5 3 4 5 6]" + there},
		"lowest, rounded": {head + "nodata_value -3.4e38\n1 2 3\n4 -3.40282e+38 -3.5e37\n", "", "",
			"[1 2 3 4 NaN -3.5e+37]" + there},
		"highest, rounded": {head + "nodata_value 3.402823e+38\n1 2 3\n4 5 3.4028234663852886e+38\n", "", "",
			"[1 2 3 4 5 NaN]" + there},
		"1e30 is not 1.0005e30": {head + "nodata_value 1e30\n1 2 3\n4 5 1.0005e30\n", "", "",
			"[1 2 3 4 5 1.0005e+30]" + there},
		"PROJ's degrees": {head + "1 2 3\n4 5 6\n", "a.prj", "+proj=longlat +datum=WGS84 +no_defs",
			"[1 2 3 4 5 6]" + there + " ° on a sphere"},
		"PROJ's metres": {head + "1 2 3\n4 5 6\n", "a.prj", "+proj=utm +zone=37 +south", "[1 2 3 4 5 6]" + there +
			" m"},
		"PROJ's feet": {head + "1 2 3\n4 5 6\n", "a.prj", "+proj=lcc +units=us-ft +no_defs", "[1 2 3 4 5 6]" +
			there + " ft"},
		"PROJ from Paris": {head + "1 2 3\n4 5 6\n", "a.prj", "+proj=longlat +pm=paris", "longitudes count from paris"},
		"PROJ, turned":    {head + "1 2 3\n4 5 6\n", "a.prj", "+proj=ob_tran +o_proj=longlat", "poles of its"},
		"a code of UTM":   {head + "1 2 3\n4 5 6\n", "a.prj", "EPSG:32737\n", "[1 2 3 4 5 6]" + there + " m"},
		"a code":          {head + "1 2 3\n4 5 6\n", "a.prj", "EPSG:4269", "[1 2 3 4 5 6]" + there + " ° on a sphere"},
		"an unknown code": {head + "1 2 3\n4 5 6\n", "a.prj", "EPSG:4813", "does not say whether coordinates are " +
			"degrees"},
		"Tokyo": {head + "1 2 3\n4 5 6\n", "a.prj", strings.NewReplacer(`"WGS_1984"`, `"Tokyo"`, "6378137", "6377397.155",
			"298.257223563", "299.1528128").Replace(wgs84), "not known to be from Greenwich and within 2 m of WGS 84"},
		"the Moon": {head + "1 2 3\n4 5 " +
			"6\n", "a.prj", strings.NewReplacer("WGS_1984", "Moon_2000", "6378137", "1737400",
			"298.257223563", "0").Replace(wgs84), "a radius of 1737 km, which is not the Earth"},
		"JSON of PROJ": {head + "1 2 3\n4 5 6\n", "a.prj", `{"type": "GeographicCRS", "bbox": [1]}`,
			"is no well-known text, and does not say whether coordinates are degrees; write that"},
		"PROJJSON": {head + "1 2 3\n4 5 6\n", "a.prj", `{"type": "GeographicCRS", "name": "WGS 84", "datum": {"name": ` +
			`"World Geodetic System 1984", "ellipsoid": {"semi_major_axis": 6378137, "inverse_flattening": 298.257}}}`,
			"[1 2 3 4 5 6]" + there + " ° on a sphere"},
		"a local plane": {head + "1 2 3\n4 5 6\n", "a.prj", `LOCAL_CS["mine",UNIT["metre",1]]`, "[1 2 3 4 5 6]" +
			there},
		"an empty .prj": {head + "1 2 3\n4 5 6\n", "a.prj", " \n", "[1 2 3 4 5 6]" + there},
		"cut by commas": {head + "1,2,3\n4,5,6\n", "", "", `"1,2,3" is no key of the header`},
		"Fortran": {"NCOLS: 3\nNROWS: 2\nXLLCENTER: 0.5D+00\nYLLCENTER: 0.5D0\nCELLSIZE: 0.1D+01\n1.5D+01 1d0 2\n3 " +
			"4 5\n", "", "", "[15 1 2 3 4 5]" + there},
		"equal signs": {"ncols= 3\nnrows= 2\nxllcorner= 0\nyllcorner= 0\ncellsize= 1\n1 2 3 4 5 6", "", "",
			"[1 2 3 4 5 6]" + there},
		"underscores":       {head + "1_0 2 3\n4 5 6", "", "", `"1_0" is no key`},
		"infinite":          {head + "inf 2 3\n4 5 6", "", "", "values must be finite"},
		"Surfer":            {surfer + "1 2 3\n4 5 1.70141e+38\n", "", "", "[1 2 3 4 5 NaN] at 10 by 2, 0 by 1"},
		"Surfer, cut":       {surfer + "1 2 3\n4 5\n", "", "", "5 values for 2 rows of 3 columns"},
		"Surfer, no header": {"DSAA\n3 2\n10", "", "", "has 8 numbers after DSAA, this has 3"},
		"Surfer, one row":   {"DSAA\n3 1\n10 14\n0 0\n1 6\n1 2 3\n", "", "", "3 columns and 1 rows after DSAA"},
		"Surfer, binary":    {"DSBB \x01", "", "", "this is a binary grid of Surfer; save it as an ASCII grid"},
		"GRASS": {"north: 5\nsouth: 1\n", "", "",
			"this is an ASCII raster of GRASS; export it by r.out.gdal"},
		"the header of BIL": {"BYTEORDER I\nLAYOUT BIL\n", "", "", "this is the header of a binary grid"},
		"degrees":           {head + "1 2 3\n4 5 6\n", "a.prj", wgs84, "[1 2 3 4 5 6]" + there + " ° on a sphere"},
		"old degrees": {head + "1 2 3\n4 5 6\n", "a.prj",
			"Projection    GEOGRAPHIC\nDatum         WGS84\nUnits        " +
				" DD\nParameters\n", "[1 2 3 4 5 6]" + there + " ° on a sphere"},
		"new degrees": {head + "1 2 3\n4 5 6\n", "a.PRJ", `GEOGCRS["WGS 84",DATUM["WGS 84",ELLIPSOID["WGS 84",6378137,` +
			`298.257223563,LENGTHUNIT["metre",1]]],CS[ellipsoidal,2],AXIS["latitude",north,` +
			`ANGLEUNIT["degree",0.0174532925199433]]]`, "[1 2 3 4 5 6]" + there + " ° on a sphere"},
		"metres": {head + "1 2 3\n4 5 6\n", "a.prj", utm, "[1 2 3 4 5 6]" + there + " m"},
		"feet": {head + "1 2 3\n4 5 6\n", "a.prj", strings.Replace(utm, `"metre",1]`,
			`"US survey foot",0.304800609601219]`, 1), "[1 2 3 4 5 6]" + there + " ft"},
		"beyond the pole": {strings.Replace(head, "yllcorner 0", "yllcorner 100", 1) + "1 2 3\n4 5 6\n", "a.prj", wgs84,
			"is at latitude 101.5"},
		"a mask": {head + "1 2 3\n4 5 6\n", "a.asc.msk", "II", "a.asc.msk: tiff:"},
		"other metadata": {head + "1 2 3\n4 5 6\n", "a.asc.aux.xml",
			`<PAMDataset><PAMRasterBand band="1"><NoDataValue>6</NoDataValue></PAMRasterBand></PAMDataset>`,
			"[1 2 3 4 5 NaN]" + there},
	} {
		path := write(t, "a.asc", c.text)
		if c.beside != "" {
			must.Do(t, os.WriteFile(filepath.Join(filepath.Dir(path), c.beside), []byte(c.content), 0o600))
		}
		f, err := ReadASCIIGrid(path)
		if err != nil {
			must.Be(t, strings.Contains(err.Error(), c.want), "%s: error %v; want %s", name, err, c.want)
		} else if got := placeOf(f); got != c.want {
			t.Errorf("%s: %s; want %s", name, got, c.want)
		}
	}
}
