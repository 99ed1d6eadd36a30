package land

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// naming says how the regions of a file get their names. Two of its fields are options of [GeoJSON].
type naming struct {
	property  string // "" for the usual one
	sameNames bool
	item      string // what the file calls a region, for errors
}

// usual are the properties that usually hold names, in lower case. The first pattern that fits a property counts. If
// several properties fit it, that with the largest number in it counts, then that in English, then the first by
// alphabet.
var usual = []*regexp.Regexp{
	regexp.MustCompile(`^(?:name|shapename|names\.primary)$`), // of geoBoundaries and of Overture
	// GADM's NAME_2 and OCHA's, WHO's and FAO's ADM2_EN, admin2Name_en, ADM2_NAME and the like.
	regexp.MustCompile(`^(?:name_(\d)|adm(?:in)?_?(\d)(?:_?name)?(?:_?(?:en|fr|pt|es|ar|ru|name))$)`),
	regexp.MustCompile(`^[a-z]{2,6}(\d\d)nm$`), // of Britain's ONS, such as LAD23NM
	regexp.MustCompile(`^(?:nuts_name|lau_name)$`),
	regexp.MustCompile(`^(?:name_latn|name_engl|cntr_name|nameunit|namelsad|nomgeo|nm_mun|nm_uf)$`),
	regexp.MustCompile(`^(?:prename|cdname|csdname|admin|geounit)$`),
	regexp.MustCompile(`^(?:lga|sa\d|ste|sal|poa)_name_?(\d\d)$`), // of Australia's ABS
	regexp.MustCompile(`^(?:district|municipality|commune|county|province|region|state|country)(?:_?name)?$`),
	regexp.MustCompile(`^(?:dist_?name|prov_?name|regname|dhsregen|cntry_name|name_long|sovereignt|gen|nom)$`),
	regexp.MustCompile(`^(?:geoid(?:\d\d)?|shapeid|gid_(\d)|adm(\d)_?pcode|nuts_id|iso_a3|iso3)$`),
	regexp.MustCompile(`^id$`),
}

// surely is the number of the usual patterns that mean names of regions. Properties of the others may have one value
// for many regions, such as the state of a county, and are no names then.
const surely = 5

// names returns the names of regions with these properties and, in GeoJSON, these ids of features. A region without the
// property is named by its id, and without an id by its number. Two regions of one name are refused, unless sameNames
// allows them.
func (o naming) names(rows []map[string]any, ids []string) ([]string, error) {
	chosen := o.property
	if chosen == "" {
		chosen = usualName(rows)
	}
	out, first := make([]string, len(rows)), map[string]int{}
	a, b, others := 0, 0, 0 // the first two regions of one name, and how many more repeat some name
	for i, row := range rows {
		text, err := o.nameOf(row, chosen)
		if err != nil {
			return nil, fmt.Errorf("%s %d: %w", o.item, i, err)
		}
		if out[i] = text; text == "" && ids[i] != "" {
			out[i] = ids[i]
		} else if text == "" {
			out[i] = fmt.Sprint(i)
		}
		switch k, again := first[out[i]]; {
		case !again:
			first[out[i]] = i
		case b == 0:
			a, b = k, i
		default:
			others++
		}
	}
	if b == 0 || o.sameNames {
		return out, nil
	}
	more, advice := "", "give each a name of its own"
	if others > 0 {
		more = fmt.Sprintf(", and %d more have the name of another", others)
	}
	if own := distinct(rows); own != "" {
		advice = fmt.Sprintf("name a property that tells them apart, as by Name: %q", own)
	}
	return nil, fmt.Errorf("%ss %d and %d are both named %q%s; %s, or set SameNames if they may share a name",
		o.item, a, b, out[a], more, advice)
}

// nameOf returns the text of the property name of a region, "" if there is none and the caller has not asked for it.
func (o naming) nameOf(row map[string]any, name string) (string, error) {
	var keys []string
	for _, key := range slices.Sorted(maps.Keys(row)) {
		if strings.EqualFold(norm.NFC.String(key), norm.NFC.String(name)) {
			keys = append(keys, key)
		}
	}
	if _, exact := row[o.property]; exact && o.property != "" {
		keys = []string{o.property}
	}
	switch {
	case name == "" || len(keys) == 0 && o.property == "":
		return "", nil
	case len(keys) == 0:
		return "", fmt.Errorf("it has no property %q but %q; name one of these by Name", name,
			slices.Sorted(maps.Keys(row)))
	}
	text := ""
	for k, key := range keys {
		t, err := textOf(row[key])
		if err != nil {
			return "", fmt.Errorf("its property %q %w, or name another property by Name", key, err)
		}
		if k > 0 && t != text {
			return "", fmt.Errorf("its properties %q differ in capitals and in value; name one of them exactly "+
				"by Name", keys)
		}
		text = t
	}
	if text == "" && o.property != "" {
		return "", fmt.Errorf("its property %q is null or blank; give it a name, or another property by Name", keys[0])
	}
	return text, nil
}

// usualName returns the property of the rows that usually has names, or "" if they have none.
func usualName(rows []map[string]any) string {
	seen := map[string]bool{}
	for _, row := range rows {
		for key, v := range row {
			if text, err := textOf(v); err == nil && text != "" {
				seen[key] = true
			}
		}
	}
	keys := slices.Sorted(maps.Keys(seen))
	for n, pattern := range usual {
		best, most := "", ""
		for _, key := range keys {
			flat := strings.ToLower(key)
			found := pattern.FindStringSubmatch(flat)
			if found == nil || n >= surely && !distinctIn(rows, key) {
				continue
			}
			rank := strings.Join(found[1:], "") + "0"
			if strings.HasSuffix(flat, "en") {
				rank += "1"
			}
			if best == "" || rank > most {
				best, most = key, rank
			}
		}
		if best != "" {
			return best
		}
	}
	return ""
}

// distinctIn reports whether a property has a text in every row, and another one in each.
func distinctIn(rows []map[string]any, key string) bool {
	seen := map[string]bool{}
	for _, row := range rows {
		text, err := textOf(row[key])
		if err != nil || text == "" || seen[text] {
			return false
		}
		seen[text] = true
	}
	return true
}

// distinct returns a property that tells all rows apart, the ids of features first, or "" if there is none.
func distinct(rows []map[string]any) string {
	for _, key := range append([]string{"id"}, slices.Sorted(maps.Keys(rows[0]))...) {
		_, number := rows[0][key].(float64)
		_, flag := rows[0][key].(bool)
		if distinctIn(rows, key) && (!number && !flag || key == "id") {
			return key
		}
	}
	return ""
}
