package dirtyfiles

import (
	"fmt"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// The files of every day are texts in the dialects of programs and countries, one thing after another. They need no
// Python.
func TestTexts(t *testing.T) {
	folder := t.TempDir()
	w := &writer{folder: folder}
	w.numbers(t)
	w.missing(t)
	w.lines(t)
	w.grids(t)
	w.districts(t)
	w.dates(t)
	must.Be(t, len(w.files) >= 300, "%d files", len(w.files))
	check(t, folder, w.files)
}

// writer keeps the manifest of the files that it writes.
type writer struct {
	folder string
	files  []entry
}

func (w *writer) add(t *testing.T, e entry, ending, text string) {
	t.Helper()
	e.File = fmt.Sprintf("%04d%s", len(w.files), ending)
	must.Do(t, os.WriteFile(filepath.Join(w.folder, e.File), []byte(text), 0o644))
	w.files = append(w.files, e)
}

// valuesOf returns numbers from their digits, with a point; "" is a missing value.
func valuesOf(texts ...string) []value {
	out := make([]value, len(texts))
	for i, text := range texts {
		if text != "" {
			out[i].exact, _ = new(big.Rat).SetString(text)
		}
	}
	return out
}

// numbers writes tables of numbers in all marks.
func (w *writer) numbers(t *testing.T) {
	for _, separator := range []string{",", ";", "\t", "|"} {
		for _, marks := range [][2]string{{".", ""}, {",", ""}, {".", ","}, {",", "."}, {".", "'"}, {",", "\u202f"},
			{".", " "}} {
			for _, kind := range slices.Sorted(maps.Keys(digits)) {
				w.tables(t, kind, style{separator, marks[0], marks[1]})
			}
		}
	}
}

func (w *writer) tables(t *testing.T, kind string, s style) {
	n := digits[kind]
	a, b, c, d := s.number(n[0]), s.number(n[1]), s.number(n[2]), s.number(n[3])
	e := entry{Kind: fmt.Sprintf("text: %s %q %q %q", kind, s.separator, s.decimal, s.thousands)}
	if s.plain(kind) {
		e.Must = equal
	}
	e.Reader, e.Truth = "csv", truth{Rows: 2, Cols: 2, Values: valuesOf(n[:]...)}
	w.add(t, e, ".csv", s.rows([]string{a, b}, []string{c, d}))
	e.Reader, e.Truth = "column", truth{Rows: 1, Cols: 4, Values: valuesOf(n[:]...)}
	w.add(t, e, ".csv", s.rows([]string{"week", "count"}, []string{"1", a}, []string{"2", b}, []string{"3", c},
		[]string{"4", d}))
	x := valuesOf("35.25", "-1.5", n[0], "36.5", "2.25", n[1])
	e.Reader, e.Truth = "points", truth{Points: [][3]value{[3]value(x[:3]), [3]value(x[3:])}}
	w.add(t, e, ".csv", s.rows([]string{"x", "y", "weight"}, []string{s.number("35.25"), s.number("-1.5"), a},
		[]string{s.number("36.5"), s.number("2.25"), b}))
	if kind == "whole" {
		e.Reader = "survey"
		e.Truth = truth{Rows: 1, Sites: []site{{Name: "S001", Lon: 35.25, Lat: 1.5, Examined: 1234, Positive: 97}}}
		w.add(t, e, ".csv", s.rows([]string{"site", "lon", "lat", "examined", "positive"},
			[]string{"S001", s.number("35.25"), s.number("1.5"), a, d}))
	}
}

// missing writes rasters and columns with marks of missing values, of text and of numbers.
func (w *writer) missing(t *testing.T) {
	for _, mark := range []string{"", "NA", "NaN", "nan", "N/A", "n/a", "null", "NULL", "None", "-", ".", "..", "*",
		"#N/A", "#NV", "#DIV/0!", "?", "<NA>", "-99", "-999", "-9999", "-99999", "-32768", "-3.4e38", "1e20",
		"-1e+30"} {
		e := entry{Kind: fmt.Sprintf("text: missing %q", mark), Reader: "csv"}
		e.Truth = truth{Rows: 2, Cols: 3, Values: valuesOf("3.5", "", "4.25", "7", "6", "5")}
		if mark == "" || mark == "NA" || mark == "NaN" {
			e.Must = equal
		}
		w.add(t, e, ".csv", "3.5,"+mark+",4.25\n7,6,5\n")
		e.Reader, e.Truth = "column", truth{Rows: 1, Cols: 4, Values: valuesOf("3.5", "", "4.25", "6")}
		w.add(t, e, ".csv", "value,note\n3.5,a\n"+mark+",b\n4.25,c\n6,d\n")
	}
}

// lines writes tables with lines that are no rows, and rows that look as if they were none.
func (w *writer) lines(t *testing.T) {
	for i, text := range []string{
		"# made by hand\nid,count\na,3\nb,4\n", "\ufeffid,count\r\na,3\r\nb,4\r\n", "id,count\n#1,3\n#2,4\n",
		"sep=,\nid,count\na,3\nb,4\n", "id,count\n#adm1,#affected\na,3\nb,4\n", "# id,count\na,3\nb,4\n",
		"id,count\na,3\n\nb,4\n", "id,count,count\na,3,9\nb,4,9\n", "id,COUNT\na,3\nb,4\n", "id;count\na;3\nb;4",
		"count\n3\n4\n", "\"id\",\"count\"\n\"x, y\",\"3\"\n\"z\n\",\"4\"\n", "id,count,\na,3,\nb,4,\n",
		" id , count \n a , 3 \n b , 4 \n", "id,count\n#N/A,3\nb,4\n", "id,count\na,3 # three\nb,4\n",
		"id,count\n# a,3\nb,4\n", "% id\nid,count\na,3\nb,4\n", "id,count\na,3\nb,4\n# end\n", "id,count\na,3\n#b,4\n",
		"id\tcount\n#1\t3\n#2\t4\n", "#id,count\n1,3\n2,4\n", "id,count\n1,3\n#2,4\n",
	} {
		e := entry{Kind: fmt.Sprintf("text: lines %d", i), Reader: "column"}
		e.Truth = truth{Rows: 1, Cols: 2, Values: valuesOf("3", "4")}
		e.Options.Name = "count"
		w.add(t, e, ".csv", text)
	}
	for i, text := range []string{
		"1,2\n3,4\n", "#1,2\n3,4\n", "# 1,2\n1,2\n3,4\n", "1,2\n# and\n3,4\n", "1,2\n#3,4\n", "sep=,\n1,2\n3,4\n",
		"\ufeff1;2\r\n3;4\r\n", "a,b\n1,2\n3,4\n", "1 2\n3 4\n", "1,2\n3\n", "1,2\n\n3,4\n", "1,2\n3,4 # four\n",
		"\"1\",\"2\"\n\"3\",\"4\"\n", "# lon\n#1,2\n3,4\n",
	} {
		e := entry{Kind: fmt.Sprintf("text: lines of a raster %d", i), Reader: "csv"}
		e.Truth = truth{Rows: 2, Cols: 2, Values: valuesOf("1", "2", "3", "4")}
		w.add(t, e, ".csv", text)
	}
}

// dates writes three Mondays in the forms of many programs.
func (w *writer) dates(t *testing.T) {
	for _, form := range []string{"2021-01-04 2021-01-11 2021-01-18", "2021-W01-1 2021-W02-1 2021-W03-1",
		"2021W011 2021W021 2021W031", "2021-W01 2021-W02 2021-W03", "2021W1 2021W2 2021W3", "2021-004 2021-011 " +
			"2021-018",
		"2021004 2021011 2021018", "20210104 20210111 20210118", "04/01/2021 11/01/2021 18/01/2021",
		"01/04/2021 01/11/2021 01/18/2021", "4.1.2021 11.1.2021 18.1.2021", "1/4/21 1/11/21 1/18/21",
		"2021-01-04T00:00:00Z 2021-01-11T00:00:00Z 2021-01-18T00:00:00Z", "44200 44207 44214", "1609718400 " +
			"1610323200 1610928000",
		"Jan_4,_2021 Jan_11,_2021 Jan_18,_2021", "4_janvier_2021 11_janvier_2021 18_janvier_2021", "202101 202102 " +
			"202103",
		"W01-2021 W02-2021 W03-2021", "2021/1 2021/2 2021/3", "2021-S1 2021-S2 2021-S3", "04-Jan-21 11-Jan-21 " +
			"18-Jan-21",
		"2021Q1 2021Q2 2021Q3", "1021-01-04 2021-01-11 2021-01-18", "2021SunW1 2021SunW2 2021SunW3"} {
		e := entry{Kind: "text: dates as " + strings.Fields(form)[0], Reader: "dates"}
		if strings.HasPrefix(form, "2021-01-04 ") {
			e.Must = equal
		}
		w.add(t, e, ".txt", strings.ReplaceAll(strings.ReplaceAll(form, " ", "\n"), "_", " "))
	}
}

// grids writes ASCII grids by the words of their headers.
func (w *writer) grids(t *testing.T) {
	const size, values = "ncols 2\nnrows 2\n", "1 2\n-9999 4\n"
	const corner = size + "xllcorner 30\nyllcorner 1\n"
	for i, text := range []string{
		corner + "cellsize 0.5\nNODATA_value -9999\n" + values,
		"NCOLS 2\r\nNROWS 2\r\nXLLCENTER 30.25\r\nYLLCENTER 1.25\r\nCELLSIZE 0.5\r\n1 2\r\n-9999 4\r\n",
		corner + "dx 0.5\ndy 0.5\n" + values, corner + "cellsize 0,5\n1,0 2,0\n-9999 4,0\n",
		size + "xllcorner 30,0\nyllcorner 1,0\ncellsize 0.5\n" + values,
		corner + "cellsize 0.5\nnodata_value null\n1 2\nnull 4\n",
		"DSAA\n2 2\n30.25 30.75\n1.25 1.75\n1 4\n1.70141e38 4\n1 2\n",
		corner + "cellsize 0.5\nnodata_value nan\n1 2\nnan 4\n",
		"ncols 2 nrows 2 xllcorner 30 yllcorner 1 cellsize 0.5 1 2 -9999 4", corner + "cellsize 0.5\n1;2\n-9999;4\n",
		"ncols=2\nnrows=2\nxllcorner=30\nyllcorner=1\ncellsize=0.5\n" + values,
		corner + "cellsize 0.5\n1.000 2.000\n-9999 4.000\n",
		corner + "cellsize 0.5\nnodata_value 0\n1 2\n0 4\n",
		corner + "cellsize 0.5\nnodata_value -9999,0\n1,0 2\n-9999,0 4\n",
	} {
		e := entry{Kind: fmt.Sprintf("text: grid %d", i), Reader: "asc"}
		e.Truth = truth{Rows: 2, Cols: 2, Values: valuesOf("1", "2", "", "4")}
		e.Truth.Place = &place{X: 30.25, DX: 0.5, Y: 1.75, DY: -0.5}
		w.add(t, e, ".asc", text)
	}
}

// districts writes a square by the words of GeoJSON's programs.
func (w *writer) districts(t *testing.T) {
	const square, turned = `[[[34,-2],[36,-2],[36,1],[34,1],[34,-2]]]`, `[[[-2,34],[-2,36],[1,36],[1,34],[-2,34]]]`
	file := func(crs, members, properties, ring string) string {
		return `{"type":"FeatureCollection",` + crs + `"features":[{"type":"Feature",` + members +
			`"properties":` + properties + `,"geometry":{"type":"Polygon","coordinates":` + ring + `}}]}`
	}
	add := func(kind, name, asked, text string) {
		e := entry{Kind: "text: " + kind, Reader: "geojson"}
		e.Truth.Regions = []region{{Name: name, Box: [4]float64{34, -2, 36, 1}, Area: 6,
			Within: [][2]float64{{35, -1}}, Outside: [][2]float64{{-1, 35}}}}
		e.Options.Name = asked
		w.add(t, e, ".geojson", text)
	}
	for _, crs := range []string{"EPSG:4326", "urn:ogc:def:crs:EPSG::4326",
		"http://www.opengis.net/def/crs/EPSG/0/4326",
		"urn:ogc:def:crs:EPSG:6.9:4326", "http://www.opengis.net/gml/srs/epsg.xml#4326",
		"urn:ogc:def:crs:OGC:1.3:CRS84",
		"EPSG:3857", "EPSG:4258", "urn:x-ogc:def:crs:EPSG:4326"} {
		member := `"crs":{"type":"name","properties":{"name":"` + crs + `"}},`
		add(crs, "a", "", file(member, "", `{"name":"a"}`, square))
		if strings.Contains(crs, ":def:crs:EPSG") || strings.Contains(crs, "/def/") { // the others have longitude first
			add(crs+", latitude first", "a", "", file(member, "", `{"name":"a"}`, turned))
		}
	}
	for _, c := range [][2]string{{"599686042433355775", `{"name":599686042433355775}`},
		{"1000001", `{"name":1000001}`},
		{"007", `{"name":"007"}`}, {"Huíla", `{"name":"Hu\u00edla"}`}, {"a", `{"NAME":"b","name":"a"}`},
		{"18446744073709551617", `{"name":18446744073709551617}`}, {"b", `{"name":"a","name":"b"}`},
		{"0.1", `{"name":0.1}`}} {
		add("name "+c[0], c[0], "", file("", "", c[1], square))
	}
	for _, c := range [][2]string{{"AGO", `"AGO"`}, {"7", "7"}, {"576460752303423489", "576460752303423489"},
		{"007", `"007"`}} {
		add("id "+c[0], c[0], "", file("", `"id":`+c[1]+`,`, `{"pop":3}`, square))
		add("id asked "+c[0], c[0], "id", file("", `"id":`+c[1]+`,`, `{"pop":3}`, square))
	}
	add("Latin-1", "Huíla", "", file("", "", "{\"name\":\"Hu\xedla\"}", square))
	twice := entry{Kind: "text: a part twice", Reader: "geojson"}
	twice.Truth.Regions = []region{{Name: "a", Box: [4]float64{34, -2, 36, 1}, Area: 6}}
	both := file("", "", `{"name":"a"}`, "["+square+","+square+"]")
	w.add(t, twice, ".geojson", strings.Replace(both, "Polygon", "MultiPolygon", 1))
}
