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

// countries has a line for each country: its number and its codes of two and three letters in
// ISO 3166, and its name. A country without a number is found by its name.
const countries = `024 AO AGO Angola
072 BW BWA Botswana
108 BI BDI Burundi
120 CM CMR Cameroon
132 CV CPV Cabo Verde
140 CF CAF Central African Republic
148 TD TCD Chad
174 KM COM Comoros
178 CG COG Congo
180 CD COD Democratic Republic of the Congo
204 BJ BEN Benin
226 GQ GNQ Equatorial Guinea
231 ET ETH Ethiopia
232 ER ERI Eritrea
262 DJ DJI Djibouti
266 GA GAB Gabon
270 GM GMB Gambia
288 GH GHA Ghana
324 GN GIN Guinea
384 CI CIV Côte d'Ivoire
404 KE KEN Kenya
426 LS LSO Lesotho
430 LR LBR Liberia
450 MG MDG Madagascar
454 MW MWI Malawi
466 ML MLI Mali
478 MR MRT Mauritania
480 MU MUS Mauritius
508 MZ MOZ Mozambique
516 NA NAM Namibia
562 NE NER Niger
566 NG NGA Nigeria
624 GW GNB Guinea-Bissau
646 RW RWA Rwanda
678 ST STP São Tomé and Príncipe
686 SN SEN Senegal
690 SC SYC Seychelles
694 SL SLE Sierra Leone
706 SO SOM Somalia
710 ZA ZAF South Africa
716 ZW ZWE Zimbabwe
728 SS SSD South Sudan
729 SD SDN Sudan
748 SZ SWZ Eswatini
768 TG TGO Togo
800 UG UGA Uganda
834 TZ TZA Tanzania
854 BF BFA Burkina Faso
894 ZM ZMB Zambia
- - - Somaliland`

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
	var lines []string
	for _, f := range read(folder, "*countries*.geojson").Features {
		number, name := text(f.Properties, "iso_n3"), text(f.Properties, "name")
		for _, c := range strings.Split(countries, "\n") {
			code := strings.SplitN(c, " ", 4)
			if code[0] == number || code[0] == "-" && code[3] == name {
				lines = append(lines, feature("country", code[3], strings.Trim(code[1], "-"),
					strings.Trim(code[2], "-"), polygons(f.Geometry.Type, f.Geometry.Coordinates)))
			}
		}
	}
	if n := strings.Count(countries, "\n") + 1; len(lines) != n {
		log.Fatalf("%d of %d countries found", len(lines), n)
	}
	for _, f := range read(folder, "*lakes*.geojson").Features {
		shape := polygons(f.Geometry.Type, f.Geometry.Coordinates)
		if p := shape[0][0][0]; p[0] > -18 && p[0] < 52 && p[1] > -36 && p[1] < 28 {
			lines = append(lines, feature("lake", text(f.Properties, "name"), "", "", shape))
		}
	}
	slices.Sort(lines)
	err := safefile.Write("africa.geojson", func(w io.Writer) error {
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
