package land_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/internal/must"
)

// features is a collection of squares with these members of each feature, such as `"properties":{"name":"A"}`.
func features(members ...string) string {
	for i, m := range members {
		members[i] = fmt.Sprintf(`{"type":"Feature",%s,"geometry":{"type":"Polygon","coordinates":[[[%d,0],[%d,0],`+
			`[%d,1],[%d,1],[%d,0]]]}}`, m, i, i+1, i+1, i, i)
	}
	return `{"type":"FeatureCollection","features":[` + strings.Join(members, ",") + `]}`
}

// of is a collection with these properties of each feature.
func of(properties ...string) string {
	for i, p := range properties {
		properties[i] = `"properties":{` + p + `}`
	}
	return features(properties...)
}

// Identifiers keep all their digits, as names and as properties.
func TestIdentifiers(t *testing.T) {
	for name, c := range map[string]struct {
		text, property string
		want           []string
		value          any // the property of the first
	}{
		"H3": {of(`"h3":599686042433355775`, `"h3":599686042433355776`), "h3",
			[]string{"599686042433355775", "599686042433355776"}, json.Number("599686042433355775")},
		"the first beyond": {of(`"k":9007199254740993`, `"k":9007199254740992`), "k",
			[]string{"9007199254740993", "9007199254740992"}, json.Number("9007199254740993")},
		"the last within": {of(`"k":9007199254740991`, `"k":-9007199254740991`), "k",
			[]string{"9007199254740991", "-9007199254740991"}, 9007199254740991.0},
		"beyond 64 bits": {of(`"k":18446744073709551617`, `"k":18446744073709551618`), "k",
			[]string{"18446744073709551617", "18446744073709551618"}, json.Number("18446744073709551617")},
		"zeros behind it": {of(`"k":599686042433355775.0`, `"k":599686042433355776.000`), "k",
			[]string{"599686042433355775", "599686042433355776"}, json.Number("599686042433355775")},
		"negative": {of(`"k":-8070450532247928832`, `"k":-8070450532247928831`), "k",
			[]string{"-8070450532247928832", "-8070450532247928831"}, json.Number("-8070450532247928832")},
		"leading zeros":     {of(`"GEOID":"01129"`, `"GEOID":"05143"`), "GEOID", []string{"01129", "05143"}, "01129"},
		"as pandas writes":  {of(`"k":101.0`, `"k":1e5`), "k", []string{"101", "100000"}, 101.0},
		"accents as marks":  {of(`"re\u0301gion":"A"`, `"re\u0301gion":"B"`), "r\u00e9gion", []string{"A", "B"}, nil},
		"numbers and texts": {of(`"k":7`, `"k":"7a"`), "k", []string{"7", "7a"}, 7.0},
		"an id of a feature": {features(`"id":"AGO","properties":{}`, `"id":"ZMB","properties":null`), "id",
			[]string{"AGO", "ZMB"}, "AGO"},
		"ids that are large": {features(`"id":599686042433355775`, `"id":599686042433355776`), "ID",
			[]string{"599686042433355775", "599686042433355776"}, json.Number("599686042433355775")},
		"a property before": {features(`"id":"0","properties":{"id":"KE"}`, `"id":"1","properties":{"id":"UG"}`),
			"id", []string{"KE", "UG"}, "KE"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := read(t, land.GeoJSON{Name: c.property}, c.text)
			must.Need(t, err == nil && len(got) == 2 && got[0].Name == c.want[0] && got[1].Name == c.want[1],
				"%v, %v; want %q", got, err, c.want)
			for key, v := range got[0].Properties {
				must.Be(t, !strings.EqualFold(key, c.property) || v == c.value,
					"the property is %v (%T), want %v", v, v, c.value)
			}
		})
	}
	table := dbf([]string{"599686042433355775", "599686042433355776"}, []string{"1", "2"})
	table[32+11], table[64+11] = 'N', 'C'
	shapes := shp(5, []ring{box(0, 0, 1, 1, true)}, []ring{box(1, 0, 2, 1, true)})
	regions, err := land.Shapefile{Name: "NAME_1"}.Read(write(t, map[string][]byte{".shp": shapes, ".dbf": table,
		".prj": []byte(wgs84)}))
	must.Be(t, err == nil && regions[0].Name == "599686042433355775" &&
		regions[1].Properties["NAME_1"] == json.Number("599686042433355776"),
		"a .dbf: %v, %v", regions, err)
}

// The names of files as their publishers write them.
func TestUsualNames(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"GADM 3.6": {of(`"GID_0":"KEN","NAME_0":"Kenya","GID_1":"KEN.1_1","NAME_1":"Baringo","NL_NAME_1":null,`+
			`"VARNAME_1":"Baringo x"`, `"NAME_0":"Kenya","NAME_1":"Bomet","TYPE_1":"County"`), []string{"Baringo",
			"Bomet"}},
		"GADM 4.1": {of(`"GID_2":"KEN.1.1_1","GID_0":"KEN","COUNTRY":"Kenya","NAME_1":"Baringo","NAME_2":"805",`+
			`"VARNAME_2":"x"`, `"COUNTRY":"Kenya","NAME_1":"Baringo","NAME_2":"Mogotio"`), []string{"805", "Mogotio"}},
		"GADM, countries": {of(`"GID_0":"KEN","COUNTRY":"Kenya"`, `"GID_0":"UGA","COUNTRY":"Uganda"`),
			[]string{"Kenya", "Uganda"}},
		"geoBoundaries": {of(`"shapeName":"Baringo","shapeISO":"KE-01","shapeID":"x1"`,
			`"shapeName":"Bomet","shapeISO":"KE-02","shapeID":"x2"`), []string{"Baringo", "Bomet"}},
		"Natural Earth": {of(`"featurecla":"x","SOVEREIGNT":"Kenya","ADMIN":"Kenya","NAME":"Kenya",`+
			`"NAME_LONG":"Kenya","NAME_EN":"K"`, `"ADMIN":"Uganda","NAME":"Uganda"`), []string{"Kenya", "Uganda"}},
		"OCHA": {of(`"ADM0_EN":"Mali","ADM1_EN":"Gao","ADM1_FR":"Gao `+
			`f","ADM1_PCODE":"ML07","ADM1_ID":"7"`, `"ADM0_EN":"Mali","ADM1_EN":"Mopti","ADM1_FR":"Mopti f"`),
			[]string{"Gao", "Mopti"}},
		"OCHA, COD": {of(`"admin1Name_en":"A","admin2Name_en":"Gao","admin2Pcode":"ML0701"`,
			`"admin1Name_en":"A","admin2Name_en":"Ansongo"`), []string{"Gao", "Ansongo"}},
		"OCHA, new": {of(`"adm1_name":"Gao","adm1_pcode":"ML07","adm0_name":"Mali"`,
			`"adm1_name":"Mopti","adm1_pcode":"ML05","adm0_name":"Mali"`), []string{"Gao", "Mopti"}},
		"GAUL": {of(`"ADM0_NAME":"Mali","ADM1_NAME":"Gao","ADM1_CODE":1`,
			`"ADM0_NAME":"Mali","ADM1_NAME":"Mopti","ADM1_CODE":2`), []string{"Gao", "Mopti"}},
		"Eurostat": {of(`"NUTS_ID":"EL30","NUTS_NAME":"Αττική","NAME_LATN":"Attiki","CNTR_CODE":"EL"`,
			`"NUTS_ID":"EL41","NUTS_NAME":"Βόρειο Αιγαίο","NAME_LATN":"Voreio"`), []string{"Αττική", "Βόρειο Αιγαίο"}},
		"Census": {of(`"GEOID":"01129","STATEFP":"01","NAME":"Washington","NAMELSAD":"Washington `+
			`County"`, `"GEOID":"05007","STATEFP":"05","NAME":"Benton"`), []string{"Washington", "Benton"}},
		"Census, codes": {of(`"GEOID20":"01129","STATEFP20":"01"`, `"GEOID20":"05007","STATEFP20":"05"`),
			[]string{"01129", "05007"}},
		"ONS": {of(`"LAD23CD":"E06000001","LAD23NM":"Hartlepool","LAD23NMW":" "`,
			`"LAD23CD":"E06000002","LAD23NM":"Middlesbrough"`), []string{"Hartlepool", "Middlesbrough"}},
		"ABS": {of(`"LGA_CODE23":"10050","LGA_NAME23":"Albury","STE_NAME21":"NSW"`,
			`"LGA_NAME23":"Ballina","STE_NAME21":"NSW"`), []string{"Albury", "Ballina"}},
		"one's own": {of(`"District":"Gulu","Region":"Northern"`, `"District":"Lira","Region":"Northern"`),
			[]string{"Gulu", "Lira"}},
		"a state of all": {features(`"id":"a","properties":{"state":"01"}`,
			`"id":"b","properties":{"state":"01"}`), []string{"a", "b"}},
		"blank names": {features(`"id":"x","properties":{"name":" "}`, `"properties":{"name":"B"}`,
			`"properties":{"name":null}`), []string{"x", "B", "2"}},
		"ids among the properties": {of(`"id":"007","people":3`, `"id":"7","people":3`), []string{"007", "7"}},
		"large ones": {of(`"id":599686042433355775`, `"id":599686042433355776`), []string{"599686042433355775",
			"599686042433355776"}},
		"numbers with a point": {of(`"ID":1.0`, `"ID":2.0`), []string{"1", "2"}},
		"ids that tell none apart": {features(`"id":"a","properties":{"id":5}`, `"id":"b","properties":{"id":5}`),
			[]string{"a", "b"}},
		"nothing": {of(`"people":12`, `"people":13`), []string{"0", "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := read(t, land.GeoJSON{}, c.text)
			var names []string
			for _, r := range got {
				names = append(names, r.Name)
			}
			must.Be(t, err == nil && slices.Equal(names, c.want), "%q, %v; want %q", names, err, c.want)
		})
	}
}

func TestNamesRefused(t *testing.T) {
	twice := features(`"id":"01129","properties":{"NAME":"Washington"}`,
		`"id":"05143","properties":{"NAME":"Washington"}`, `"id":"05007","properties":{"NAME":"Benton"}`)
	for _, c := range []struct {
		name string
		read land.GeoJSON
		text string
		says string
	}{
		{"one name, ids", land.GeoJSON{}, twice, `features 0 and 1 are both named "Washington"; name a property ` +
			`that tells them apart, as by Name: "id", or set SameNames if they may share a name`},
		{"one name, codes", land.GeoJSON{}, of(`"name":"A","GEOID":"1"`, `"name":"A","GEOID":"2"`,
			`"name":"A","GEOID":"3"`), `features 0 and 1 are both named "A", and 1 more have the name of another; ` +
			`name a property that tells them apart, as by Name: "GEOID"`},
		{"one name alone", land.GeoJSON{}, of(`"name":"A"`, `"name":"A"`),
			`features 0 and 1 are both named "A"; give each a name of its own, or set SameNames`},
		{"one name but for blanks", land.GeoJSON{}, of(`"name":"A"`, `"name":" A "`),
			`features 0 and 1 are both named "A"`},
		{"a number for a name", land.GeoJSON{}, of(`"name":"1"`, `"name":null`), `features 0 and 1 are both named "1"`},
		{"GADM, one name in two provinces", land.GeoJSON{}, of(`"NAME_1":"N","NAME_2":"A","GID_2":"x"`,
			`"NAME_1":"S","NAME_2":"A","GID_2":"y"`), `as by Name: "GID_2"`},
		{"one code", land.GeoJSON{Name: "k"}, of(`"k":7`, `"k":"7"`), `features 0 and 1 are both named "7"`},
		{"digits that are lost", land.GeoJSON{Name: "k"}, of(`"k":5.996860424333558e+17`, `"k":1`),
			`feature 0: its property "k" is 5.996860424333558e+17, which is no name: the last digits of an ` +
				`identifier are lost there`},
		{"capitals alone", land.GeoJSON{Name: "nAme"}, of(`"Name":"A","NAME":"B"`, `"Name":"C","NAME":"D"`),
			`feature 0: its properties ["NAME" "Name"] differ in capitals and in value; name one of them exactly ` +
				`by Name`},
		{"capitals alone, unasked", land.GeoJSON{}, of(`"name":"A","NAME":"B"`, `"name":"C","NAME":"D"`),
			`feature 0: its properties ["NAME" "name"] differ in capitals and in value`},
		{"a property twice", land.GeoJSON{}, of(`"name":"A","name":"B"`),
			`there are two properties "name"; rename one of them`},
		{"a list", land.GeoJSON{Name: "k"}, of(`"k":[1,2]`), `feature 0: its property "k" is [1 2]; a name is a ` +
			`text or a number`},
		{"blank", land.GeoJSON{Name: "k"}, of(`"k":" "`), `feature 0: its property "k" is null or blank; give it ` +
			`a name`},
		{"no id", land.GeoJSON{Name: "id"}, of(`"k":"a"`), `feature 0: it has no property "id" but ["k"]`},
		{"properties of another kind", land.GeoJSON{}, features(`"properties":[1]`),
			`its properties are "[1]"; they must be an object`},
	} {
		t.Run(c.name, func(t *testing.T) { must.Refuse(read(t, c.read, c.text))(t, c.says) })
	}
	got, err := read(t, land.GeoJSON{SameNames: true}, twice)
	must.Be(t, err == nil && got[1].Name == "Washington" && got[1].Properties["id"] == "05143",
		"same names: %v, %v", got, err)
	got, err = read(t, land.GeoJSON{Name: "NAME"}, of(`"Name":"A","NAME":"B"`))
	must.Be(t, err == nil && got[0].Name == "B", "a name that is exact: %v, %v", got, err)
	got, err = read(t, land.GeoJSON{}, of(`"Name":"A","NAME":"A"`))
	must.Be(t, err == nil && got[0].Name == "A", "one name in two capitals: %v, %v", got, err)
	shapes, two := shp(5, []ring{box(0, 0, 1, 1, true)}, []ring{box(1, 0, 2, 1, true)}), dbf([]string{"A", "A"},
		[]string{"1", "2"})
	must.Refuse((land.Shapefile{}).Read(write(t, map[string][]byte{".shp": shapes, ".dbf": two,
		".prj": []byte(wgs84)})))(t, `shapes 0 and 1 are both named "A"; give each`)
}
