package geodesy

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
)

// crsJSON is a coordinate reference system of PROJJSON (https://proj.org/specifications/projjson.html), which
// GeoParquet has.
type crsJSON struct {
	Type, Name string
	Base       *crsJSON   `json:"base_crs"`
	Source     *crsJSON   `json:"source_crs"`
	Components []*crsJSON // the horizontal one first
	Datum      *datumJSON
	Ensemble   *datumJSON `json:"datum_ensemble"`
	Conversion struct {
		Method     struct{ Name string }
		Parameters []struct {
			Name  string
			Value float64
			Unit  unitJSON
		}
	}
	System struct {
		Axis []struct {
			Direction string
			Unit      unitJSON
		}
	} `json:"coordinate_system"`
}

type datumJSON struct {
	Name      string
	Ellipsoid struct {
		Name    string
		A       measureJSON `json:"semi_major_axis"`
		B       measureJSON `json:"semi_minor_axis"`
		Radius  measureJSON
		Inverse float64 `json:"inverse_flattening"`
	}
	Meridian *struct {
		Name      string
		Longitude measureJSON
	} `json:"prime_meridian"`
}

// measureJSON is a number, or a value and its unit, and becomes metres or degrees.
type measureJSON float64

// UnmarshalJSON implements json.Unmarshaler.
func (m *measureJSON) UnmarshalJSON(text []byte) error {
	var of struct {
		Value float64
		Unit  unitJSON
	}
	if json.Unmarshal(text, (*float64)(m)) == nil {
		return nil
	}
	err := json.Unmarshal(text, &of)
	*m = measureJSON(of.Value * cmp.Or(of.Unit.Factor, 1))
	if of.Unit.Type == "AngularUnit" {
		*m /= degree
	}
	return err
}

// unitJSON is "metre", "degree", "unity", or another unit by its size in metres or radians.
type unitJSON struct {
	Type, Name string
	Factor     float64 `json:"conversion_factor"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (u *unitJSON) UnmarshalJSON(text []byte) error {
	var name string
	if json.Unmarshal(text, &name) == nil {
		*u = map[string]unitJSON{"metre": {"LinearUnit", name, 1}, "degree": {"AngularUnit", name, degree}}[name]
		return nil
	}
	type plain unitJSON // without this method
	return json.Unmarshal(text, (*plain)(u))
}

// node returns the unit as a node of well-known text.
func (u unitJSON) node() *node {
	keyword := map[string]string{"LinearUnit": "LENGTHUNIT", "AngularUnit": "ANGLEUNIT"}[u.Type]
	return &node{keyword: keyword, words: []string{u.Name, decimal(u.Factor)}}
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// parsePROJJSON returns the nodes of the well-known text that says the same.
func parsePROJJSON(text string) (*node, error) {
	var c crsJSON
	if err := json.Unmarshal([]byte(text), &c); err != nil || c.Type == "" || c.Name == "" {
		return nil, errWKT
	}
	return c.node(), nil
}

func (c *crsJSON) node() *node {
	switch {
	case c.Source != nil:
		return c.Source.node()
	case len(c.Components) > 0 && c.Components[0] != nil:
		return c.Components[0].node()
	}
	n := &node{keyword: strings.ToUpper(cmp.Or(c.Type, "GeographicCRS")), words: []string{c.Name}}
	add := func(keyword string, nodes []*node, words ...string) {
		n.nodes = append(n.nodes, &node{keyword: keyword, words: words, nodes: nodes})
	}
	switch n.keyword {
	case "GEODETICCRS", "GEOGRAPHICCRS":
		n.keyword = "GEOGCRS"
	case "DERIVEDGEOGRAPHICCRS", "DERIVEDGEODETICCRS":
		n.keyword = "GEOGCRS"
		add("DERIVINGCONVERSION", nil)
	case "PROJECTEDCRS":
		n.keyword = "PROJCRS"
		conversion := &node{keyword: "CONVERSION"}
		conversion.nodes = append(conversion.nodes, &node{keyword: "METHOD", words: []string{c.Conversion.Method.Name}})
		for _, p := range c.Conversion.Parameters {
			conversion.nodes = append(conversion.nodes, &node{keyword: "PARAMETER",
				words: []string{p.Name, decimal(p.Value)}, nodes: []*node{p.Unit.node()}})
		}
		n.nodes = append(n.nodes, conversion)
	}
	if c.Base != nil {
		base := c.Base.node()
		base.keyword = "BASEGEOGCRS"
		n.nodes = append(n.nodes, base)
	}
	if d := cmp.Or(c.Datum, c.Ensemble); d != nil {
		a, inverse := float64(d.Ellipsoid.A+d.Ellipsoid.Radius), d.Ellipsoid.Inverse
		if b := float64(d.Ellipsoid.B); b != 0 && a != b {
			inverse = a / (a - b)
		}
		add("DATUM", []*node{{keyword: "ELLIPSOID", words: []string{d.Ellipsoid.Name, decimal(a), decimal(inverse)}}},
			d.Name)
		if d.Meridian != nil {
			add("PRIMEM", nil, d.Meridian.Name, decimal(float64(d.Meridian.Longitude)))
		}
	}
	for _, axis := range c.System.Axis {
		add("AXIS", []*node{axis.Unit.node()}, axis.Direction)
	}
	return n
}
