package raster

import (
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// gdalMetadata are the items of GDAL's metadata in a file, such as
//
//	<Item name="SCALE" sample="0" role="scale">0.0001</Item>
type gdalMetadata []struct {
	Name   string `xml:"name,attr"`
	Sample string `xml:"sample,attr"`
	Role   string `xml:"role,attr"`
	Value  string `xml:",chardata"`
}

// metadata reads GDAL's metadata. Text that is no XML is left out if it has no scale and no offset.
func (t *tiff) metadata() (gdalMetadata, error) {
	text := strings.ToValidUTF8(t.text(tagMetadata), "?")
	if text == "" {
		return nil, nil
	}
	var metadata struct {
		Items gdalMetadata `xml:"Item"`
	}
	if err := xml.Unmarshal([]byte(text), &metadata); err != nil {
		if lower := strings.ToLower(text); strings.Contains(lower, "scale") || strings.Contains(lower, "offset") {
			return nil, fmt.Errorf("GDAL's metadata (tag %d) may have a scale or an offset, but they are no XML: %w; "+
				"write the file again with gdal_translate", tagMetadata, err)
		}
		return nil, nil
	}
	return metadata.Items, nil
}

// item returns the value of an item of the whole file.
func (m gdalMetadata) item(name string) string {
	for _, item := range m {
		if item.Name == name && item.Sample == "" {
			return strings.TrimSpace(item.Value)
		}
	}
	return ""
}

// of returns the value of the item of a band, counted from 0, that has a role.
func (m gdalMetadata) of(role string, band int) (value string, found bool) {
	for _, item := range m {
		// GDAL takes an item without a band as a remark about the whole file.
		if sample, err := strconv.Atoi(strings.TrimSpace(item.Sample)); err == nil && sample == band &&
			strings.EqualFold(item.Role, role) {
			value, found = strings.TrimSpace(item.Value), true
		}
	}
	return value, found
}

// words returns what the metadata say about the meaning of a band, counted from 0: its unit and its names.
func (m gdalMetadata) words(band int) (words []string) {
	for _, role := range []string{"unittype", "description"} {
		text, _ := m.of(role, band)
		words = append(words, text)
	}
	for _, item := range m {
		sample, err := strconv.Atoi(strings.TrimSpace(item.Sample))
		switch strings.ToLower(item.Name) {
		case "unit", "units", "long_name", "standard_name":
			if err != nil || sample == band {
				words = append(words, item.Value)
			}
		}
	}
	return words
}

// undeclared refuses values among which is the number that an item such as _FillValue names as missing. GDAL does not
// heed these items, because it writes that number elsewhere.
func (m gdalMetadata) undeclared(band int, values []float64) error {
	for _, item := range m {
		if sample, err := strconv.Atoi(strings.TrimSpace(item.Sample)); err == nil && sample != band {
			continue
		}
		switch strings.Trim(strings.ToLower(item.Name), "_") {
		case "fillvalue", "missing_value", "nodata", "nodata_value", "no_data", "no_data_value":
			if v, err := strconv.ParseFloat(strings.TrimSpace(item.Value), 64); err == nil &&
				slices.Contains(values, v) {
				return fmt.Errorf("its metadata have %s=%s, which some cells have, and no number is declared to mark "+
					"missing cells; declare it, as by gdal_edit.py -a_nodata %s", item.Name, item.Value, item.Value)
			}
		}
	}
	return nil
}

// scale returns the scale and the offset of a band, counted from 0. They are 1 and 0 if the metadata have none.
func (m gdalMetadata) scale(band int) (scale, offset float64, err error) {
	scale = 1
	for _, to := range []struct {
		role string
		v    *float64
	}{{"scale", &scale}, {"offset", &offset}} {
		text, found := m.of(to.role, band)
		if !found {
			continue
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || to.role == "scale" && v == 0 {
			return 0, 0, fmt.Errorf("the %s of band %d is %.40q; it must be a finite number, and a scale not 0: "+
				"correct it, as by gdal_edit.py -%s", to.role, band+1, text, to.role)
		}
		*to.v = v
	}
	return scale, offset, nil
}
