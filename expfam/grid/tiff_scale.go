package grid

import (
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// scale returns the scale and the offset of a band, counted from 0, in GDAL's metadata. They are 1 and 0 if the
// metadata have none. An item of a band looks like
//
//	<Item name="SCALE" sample="0" role="scale">0.0001</Item>
func (t *tiff) scale(band int) (scale, offset float64, err error) {
	text := strings.ToValidUTF8(t.text(tagMetadata), "?")
	if text == "" {
		return 1, 0, nil
	}
	var metadata struct {
		Items []struct {
			Sample string `xml:"sample,attr"`
			Role   string `xml:"role,attr"`
			Value  string `xml:",chardata"`
		} `xml:"Item"`
	}
	if err := xml.Unmarshal([]byte(text), &metadata); err != nil {
		if lower := strings.ToLower(text); strings.Contains(lower, "scale") || strings.Contains(lower, "offset") {
			return 0, 0, fmt.Errorf("GDAL's metadata (tag %d) may have a scale or an offset, but they are no XML: %w; write the file again with gdal_translate", tagMetadata, err)
		}
		return 1, 0, nil
	}
	scale, offset = 1, 0
	for _, item := range metadata.Items {
		to, role := &scale, strings.ToLower(item.Role)
		switch role {
		case "scale":
		case "offset":
			to = &offset
		default:
			continue
		}
		sample, err := strconv.Atoi(strings.TrimSpace(item.Sample))
		if err != nil || sample != band {
			continue // GDAL takes it as a remark about the whole file
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(item.Value), 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || role == "scale" && v == 0 {
			return 0, 0, fmt.Errorf("the %s of band %d is %.40q; it must be a finite number, and a scale not 0: correct it, as by gdal_edit.py -%s", role, band+1, item.Value, role)
		}
		*to = v
	}
	return scale, offset, nil
}
