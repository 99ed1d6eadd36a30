//go:build ignore

// Recipe makes africa.geojson from Natural Earth. The environment variable EXPFAM_NATURAL_EARTH names a folder with one
// file *countries*.geojson and one *lakes*.geojson, from Natural Earth itself (ne_50m_admin_0_countries, ne_50m_lakes)
// or decoded from world-atlas. The output has one feature per line. Coordinates are rounded to 0.001°, which is 111 m,
// while the map is accurate to some kilometres. Shared borders consist of the same points before and after rounding.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/expfam/lab/internal/safefile"
)

type collection struct {
	Features []struct {
		Properties map[string]any
		Geometry   struct {
			Type        string
			Coordinates json.RawMessage
		}
	}
}

func main() {
	folder := os.Getenv("EXPFAM_NATURAL_EARTH")
	if folder == "" {
		log.Fatal("set EXPFAM_NATURAL_EARTH to the folder with Natural Earth's countries and lakes as GeoJSON")
	}
	// A line for each country: its number and its codes of two and three letters in ISO 3166, and its name. A country
	// without a number is found by its name.
	table, err := os.ReadFile("countries.txt")
	if err != nil {
		log.Fatal(err)
	}
	countries := strings.Split(strings.TrimSpace(string(table)), "\n")
	var lines []string
	for _, f := range read(folder, "*countries*.geojson").Features {
		number, name := text(f.Properties, "iso_n3"), text(f.Properties, "name")
		for _, c := range countries {
			code := strings.SplitN(c, " ", 4)
			if code[0] == number || code[0] == "-" && code[3] == name {
				lines = append(lines, feature("country", code[3], strings.Trim(code[1], "-"),
					strings.Trim(code[2], "-"), polygons(f.Geometry.Type, f.Geometry.Coordinates)))
			}
		}
	}
	if len(lines) != len(countries) {
		log.Fatalf("%d of %d countries found", len(lines), len(countries))
	}
	for _, f := range read(folder, "*lakes*.geojson").Features {
		shape := polygons(f.Geometry.Type, f.Geometry.Coordinates)
		if p := shape[0][0][0]; p[0] > -18 && p[0] < 52 && p[1] > -36 && p[1] < 28 {
			lines = append(lines, feature("lake", text(f.Properties, "name"), "", "", shape))
		}
	}
	slices.Sort(lines)
	err = safefile.Write("africa.geojson", func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "{\"type\":\"FeatureCollection\",\"features\":[\n%s\n]}\n", strings.Join(lines, ",\n"))
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
}

func read(folder, pattern string) (c collection) {
	paths, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil || len(paths) != 1 {
		log.Fatalf("%d files %s in %s; one is needed", len(paths), pattern, folder)
	}
	raw, err := os.ReadFile(paths[0])
	if err == nil {
		err = json.Unmarshal(raw, &c)
	}
	if err != nil {
		log.Fatal(err)
	}
	return c
}

// text returns a property as text. The key may be in capitals, as in the files of Natural Earth itself.
func text(p map[string]any, key string) string {
	for k, v := range p {
		if s, ok := v.(string); ok && strings.EqualFold(k, key) {
			return s
		}
	}
	return ""
}

func polygons(kind string, raw json.RawMessage) (p [][][][2]float64) {
	var err error
	if kind == "Polygon" {
		p = make([][][][2]float64, 1)
		err = json.Unmarshal(raw, &p[0])
	} else {
		err = json.Unmarshal(raw, &p)
	}
	if err != nil {
		log.Fatal(err)
	}
	return p
}

func feature(kind, name, iso2, iso3 string, shape [][][][2]float64) string {
	var b strings.Builder
	quoted, _ := json.Marshal(name)
	fmt.Fprintf(&b, `{"type":"Feature","properties":{"kind":%q,"name":%s,"iso2":%q,"iso3":%q},"geometry":{"type":"MultiPolygon","coordinates":[`, kind, quoted, iso2, iso3)
	comma := func(i int) string { return ","[:min(i, 1)] }
	for i, polygon := range shape {
		b.WriteString(comma(i) + "[")
		for k, ring := range polygon {
			b.WriteString(comma(k) + "[")
			last, n := "", 0
			for _, p := range ring {
				if s := "[" + round(p[0]) + "," + round(p[1]) + "]"; s != last {
					b.WriteString(comma(n) + s)
					last, n = s, n+1
				}
			}
			b.WriteString("]")
		}
		b.WriteString("]")
	}
	return b.String() + "]}}"
}

func round(v float64) string { return strconv.FormatFloat(math.Round(v*1000)/1000+0, 'f', -1, 64) }
