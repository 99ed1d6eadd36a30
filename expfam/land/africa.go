package land

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
)

//go:embed africa.geojson
var africa []byte

// regions returns the countries and lakes of the map, which it parses at the first call.
var regions = sync.OnceValue(func() (all struct{ countries, lakes []Region }) {
	var file struct {
		Features []struct {
			Properties struct{ Kind, Name, ISO2, ISO3 string }
			Geometry   struct{ Coordinates [][][][2]float64 }
		}
	}
	if err := json.Unmarshal(africa, &file); err != nil {
		panic("land: africa.geojson: " + err.Error())
	}
	for _, f := range file.Features {
		polygons := make([][][]Position, len(f.Geometry.Coordinates))
		for i, polygon := range f.Geometry.Coordinates {
			polygons[i] = make([][]Position, len(polygon))
			for k, ring := range polygon {
				for _, p := range ring {
					polygons[i][k] = append(polygons[i][k], Position{p[0], p[1]})
				}
			}
		}
		r, err := ringsOf(f.Properties.Name, polygons)
		if err != nil {
			panic("land: africa.geojson: " + err.Error())
		}
		r.ISO2, r.ISO3 = f.Properties.ISO2, f.Properties.ISO3
		if f.Properties.Kind == "lake" {
			all.lakes = append(all.lakes, r)
		} else {
			all.countries = append(all.countries, r)
		}
	}
	return all
})

// Countries returns the countries of sub-Saharan Africa, sorted by name. Western Sahara is not
// among them, and Somaliland is separate from Somalia, as on Natural Earth's map.
func Countries() []Region { return slices.Clone(regions().countries) }

// Lakes returns the lakes and reservoirs of the Countries. Some of them have no name.
func Lakes() []Region { return slices.Clone(regions().lakes) }

// Country returns the country with the given name, or the given code of two or three letters.
// Capitals, accents and punctuation don't matter.
func Country(name string) (Region, error) {
	key := fold(name)
	var close []string
	for _, r := range regions().countries {
		if full := fold(r.Name); key != "" && (key == full || key == fold(r.ISO2) || key == fold(r.ISO3)) {
			return r, nil
		} else if len(key) > 2 && (strings.Contains(full, key) || strings.HasPrefix(full, key[:3])) {
			close = append(close, r.Name)
		}
	}
	if len(close) == 0 {
		return Region{}, fmt.Errorf("land: there is no country %q in sub-Saharan Africa; land.Countries has all "+
			"names and codes, and Regions of a Frame are your own boundaries", name)
	}
	return Region{}, fmt.Errorf("land: there is no country %q in sub-Saharan Africa; did you mean %s?", name,
		strings.Join(close, ", "))
}

var plain = strings.NewReplacer("á", "a", "ã", "a", "é", "e", "í", "i", "ô", "o", "ó", "o")

// fold returns the letters of a name in lower case and without accents.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if r < 'a' || r > 'z' {
			return -1
		}
		return r
	}, plain.Replace(strings.ToLower(name)))
}

// LakeAt returns the name of the lake or reservoir at a place, "a lake without a name" for some. ok is false on land,
// at sea and beyond the map.
func LakeAt(p Position) (name string, ok bool) {
	for _, r := range regions().lakes {
		if r.Contains(p) && r.Name == "" {
			return "a lake without a name", true
		} else if r.Contains(p) {
			return r.Name, true
		}
	}
	return "", false
}

// At returns the name of the country at a place. Lakes belong to countries. The name is "" at sea and beyond the map.
func At(p Position) string {
	for _, r := range regions().countries {
		if r.Contains(p) {
			return r.Name
		}
	}
	return ""
}
