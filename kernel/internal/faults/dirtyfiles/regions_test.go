package dirtyfiles

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/expfam/lab/expfam/land"
)

// crossed is what Frame says of regions whose parts overlap or cross.
var crossed = regexp.MustCompile(`overlap|cross|itself|twice|both|within`)

func regions(path string, e entry) (wrong string, err error) {
	var got []land.Region
	if e.Reader == "geojson" {
		got, err = land.GeoJSON{Name: e.Options.Name}.Read(path)
	} else {
		got, err = land.Shapefile{Name: e.Options.Name, WGS84: e.Options.WGS84}.Read(path)
	}
	if err != nil {
		return "", err
	}
	if len(got) != len(e.Truth.Regions) {
		return fmt.Sprintf("%d regions, not %d", len(got), len(e.Truth.Regions)), nil
	}
	for k, r := range got {
		if wrong := sameRegion(r, e.Truth.Regions[k]); wrong != "" {
			if _, err := (land.Frame{Regions: got, Rows: 100}).Map(); err != nil && crossed.MatchString(err.Error()) {
				return "", refusal{err}
			}
			return fmt.Sprintf("region %d: %s", k, wrong), nil
		}
	}
	return "", nil
}

func sameRegion(r land.Region, want region) string {
	code := ""
	for key, v := range r.Properties {
		if strings.EqualFold(key, "code") {
			code = text(v)
		}
	}
	b := r.Box()
	switch {
	case strings.TrimSpace(r.Name) != strings.TrimSpace(want.Name):
		return fmt.Sprintf("its name is %q, not %q", r.Name, want.Name)
	case code != want.Code:
		return fmt.Sprintf("its code is %q, not %q", code, want.Code)
	case math.Abs(b.West-want.Box[0])+math.Abs(b.South-want.Box[1]) > 1e-6,
		math.Abs(b.East-want.Box[2])+math.Abs(b.North-want.Box[3]) > 1e-6:
		return fmt.Sprintf("its box is %v, not %v", b, want.Box)
	case math.Abs(area(r)-want.Area) > 1e-9:
		return fmt.Sprintf("its area is %g square degrees, not %g", area(r), want.Area)
	}
	for _, p := range want.Within {
		if !r.Contains(land.Position{Lon: p[0], Lat: p[1]}) {
			return fmt.Sprintf("%v is not within", p)
		}
	}
	for _, p := range want.Outside {
		if r.Contains(land.Position{Lon: p[0], Lat: p[1]}) {
			return fmt.Sprintf("%v is within", p)
		}
	}
	return ""
}

// text is a property as a person writes it.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

// area is the area of a region in square degrees.
func area(r land.Region) (sum float64) {
	for _, polygon := range r.Polygons {
		for k, ring := range polygon {
			a := 0.0
			for n := 1; n < len(ring); n++ {
				a += (ring[n-1].Lon*ring[n].Lat - ring[n].Lon*ring[n-1].Lat) / 2
			}
			if a = math.Abs(a); k > 0 {
				a = -a
			}
			sum += a
		}
	}
	return sum
}
