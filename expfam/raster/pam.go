package raster

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// pam is what GDAL's Persistent Auxiliary Metadata (.aux.xml) say about a raster and one of its bands. Statistics,
// histograms, colours and names of classes change no value, and are left out.
type pam struct {
	transform               *transform
	reference               *reference
	nodata, scale, offset   *float64
	unit, description, path string
}

// pam reads the metadata beside the raster. Bands count from 0.
func (b beside) pam(band int) (p pam, err error) {
	path, content, err := b.find(string(b), ".aux.xml")
	if path == "" || err != nil {
		return p, err
	}
	var read struct {
		XMLName   xml.Name  `xml:"PAMDataset"`
		SRS       string    `xml:"SRS"`
		Transform string    `xml:"GeoTransform"`
		GCPs      *struct{} `xml:"GCPList"`
		Metadata  []struct {
			Domain string `xml:"domain,attr"`
			Text   string `xml:",innerxml"`
		} `xml:"Metadata"`
		Bands []struct {
			Band        string  `xml:"band,attr"`
			NoData      *string `xml:"NoDataValue"`
			Scale       *string `xml:"Scale"`
			Offset      *string `xml:"Offset"`
			Unit        string  `xml:"UnitType"`
			Description string  `xml:"Description"`
		} `xml:"PAMRasterBand"`
	}
	in := xml.NewDecoder(bytes.NewReader(bytes.ToValidUTF8(content, []byte("?"))))
	in.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	if err := in.Decode(&read); err != nil {
		return p, about(path, fmt.Errorf("it is not metadata of GDAL: %w; remove it, or write the raster again with "+
			"gdal_translate", err))
	}
	p.path = path
	if text := strings.TrimSpace(read.Transform); text != "" {
		words := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\t' })
		m, ok := sixNumbers(words)
		if !ok {
			return p, about(path, fmt.Errorf("the transform is %.80q; it must be six numbers", text))
		}
		p.transform = &transform{m[0] + (m[1]+m[2])/2, m[1], m[2], m[3] + (m[4]+m[5])/2, m[4], m[5]}
	}
	bent := read.GCPs != nil
	for _, m := range read.Metadata {
		bent = bent || strings.Contains(m.Text, "<GeodataXform") && !strings.Contains(m.Text, "IdentityXform")
	}
	if bent && p.transform == nil {
		return p, about(path, errors.New("control points place the raster, which are not read; warp it with gdalwarp"))
	}
	if text := strings.TrimSpace(read.SRS); text != "" {
		r, err := parseReference(text)
		if err != nil {
			return p, about(path, err)
		}
		p.reference = &r
	}
	for _, of := range read.Bands {
		if n, err := strconv.Atoi(of.Band); err != nil || n != band+1 {
			continue
		}
		p.unit, p.description = of.Unit, of.Description
		for _, item := range []struct {
			name string
			text *string
			to   **float64
		}{{"number of missing data", of.NoData, &p.nodata}, {"scale", of.Scale, &p.scale},
			{"offset", of.Offset, &p.offset}} {
			if item.text == nil {
				continue
			}
			v, err := strconv.ParseFloat(strings.TrimSpace(*item.text), 64)
			if err != nil || item.name != "number of missing data" && (math.IsNaN(v) || math.IsInf(v, 0)) ||
				item.name == "scale" && v == 0 {
				return p, about(path, fmt.Errorf("the %s of band %d is %.40q; it must be a number, and a scale not 0",
					item.name, band+1, *item.text))
			}
			*item.to = &v
		}
	}
	return p, nil
}
