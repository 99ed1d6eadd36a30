package survey

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/expfam/lab/expfam/land"
)

// site reads a row. It returns the site, or the filter that leaves the row out, or the fault
// for which the row is refused.
func (t Table) site(record []string, d dialect) (s Site, filter string, f *fault) {
	blank := func(cell string) bool { return strings.TrimSpace(cell) == "" }
	if !slices.ContainsFunc(record, func(cell string) bool { return !blank(cell) }) {
		return s, "empty", nil
	}
	if f := fits(record, d, blank); f != nil {
		return s, "", f
	}
	cell := func(role int) string { return d.cell(record, role) }
	if filter, f = t.year(&s, cell(year), d); f != nil || filter != "" {
		return s, filter, f
	}
	if filter, f = t.age(cell(ageLow), cell(ageHigh), d); f != nil || filter != "" {
		return s, filter, f
	}
	if f = coordinates(&s, cell(longitude), cell(latitude), d); f != nil {
		return s, "", f
	}
	if filter, f = t.place(s.Place()); f != nil || filter != "" {
		return s, filter, f
	}
	if s.Examined, f = wholeNumber("examined", cell(examined), d); f != nil {
		return s, "", f
	}
	if s.Positive, f = wholeNumber("positive", cell(positive), d); f != nil {
		return s, "", f
	}
	if f = s.fault(); f == nil {
		s.Name = clean(cell(siteName))
	}
	return s, "", f
}

// fits compares the number of cells of a row with the header. Empty cells beyond the header are allowed.
func fits(record []string, d dialect, blank func(string) bool) *fault {
	n := len(d.header)
	detail := func() string {
		s := fmt.Sprintf("%d cells, the header has %d", len(record), n)
		if breaks := strings.Count(strings.Join(record, ""), "\n"); breaks > 0 {
			s += fmt.Sprintf(", on %d lines", breaks+1)
		}
		return s
	}
	switch {
	case len(record) < n:
		return &fault{shape, detail(), "give every row all cells, or look for a line break without quotes"}
	case slices.ContainsFunc(record[n:], func(cell string) bool { return !blank(cell) }):
		return &fault{shape, detail(), fmt.Sprintf(
			"quote cells that hold %q; if all rows have one more, the header lacks a name", d.comma)}
	}
	return nil
}

// year reads the year of a site and applies the filter Years.
func (t Table) year(s *Site, cell string, d dialect) (filter string, f *fault) {
	y, missing, f := yearOf(cell, d)
	s.Year = y
	switch v := float64(y); {
	case t.Years == Range{}: // the report remarks on years that cannot be read
		return "", nil
	case missing:
		return "without a year", nil
	case f != nil:
		return "", f
	case !t.Years.contains(v, v):
		return "of other years than " + t.Years.String(), nil
	}
	return "", nil
}

// age applies the filter Ages.
func (t Table) age(low, high string, d dialect) (filter string, f *fault) {
	if (t.Ages == Range{}) {
		return "", nil
	}
	a, noLow, okLow := number(low, d)
	b, noHigh, okHigh := number(high, d)
	switch {
	case noLow || noHigh:
		return "without ages", nil
	case !okLow || !okHigh || a > b || a < 0:
		return "", &fault{badAge, "ages are " + excerpt(low) + " to " + excerpt(high),
			"write ages in years, the lower one first"}
	case !t.Ages.contains(a, b):
		return "of other ages than " + strings.Replace(t.Ages.String(), "later", "older", 1), nil
	}
	return "", nil
}

// coordinates reads the longitude and latitude of a site.
func coordinates(s *Site, lon, lat string, d dialect) *fault {
	x, noX, okX := number(lon, d)
	y, noY, okY := number(lat, d)
	detail := func() string { return fmt.Sprintf("longitude is %s, latitude %s", excerpt(lon), excerpt(lat)) }
	switch {
	case noX || noY:
		return &fault{noPlace, detail(), "look the place up, or leave the row out; some surveys keep their places " +
			"secret"}
	case !okX || !okY:
		return &fault{badPlace, detail(), "write decimal degrees with a point, west and south negative, without ° " +
			"′ ″ and letters"}
	}
	s.Lon, s.Lat = x, y
	if !land.World.Contains(s.Place()) {
		return &fault{outOfRange, detail(), hintRange(x, y)}
	}
	return nil
}

// place applies the filter Window to a place. It refuses a place far from land that would be
// near land with longitude and latitude exchanged.
func (t Table) place(p land.Position) (filter string, f *fault) {
	swapped := land.Position{Lon: p.Lat, Lat: p.Lon}
	w := t.Window
	apart := w.North < w.West || w.South > w.East // no place of the window is in it with its numbers exchanged
	if apart && !w.Contains(p) && w.Contains(swapped) {
		return "", &fault{exchanged, fmt.Sprintf("longitude %g, latitude %g is outside of the window, exchanged it "+
			"is inside", p.Lon, p.Lat), "exchange them; if they are right, take a larger Window"}
	}
	if t.Window != land.World && !land.Near(p) && t.Window.Contains(swapped) && land.Near(swapped) {
		where := land.At(swapped)
		where = cmp.Or(where, "coastal waters")
		return "", &fault{exchanged, fmt.Sprintf("longitude %g, latitude %g is far from land, exchanged it is in %s",
			p.Lon, p.Lat, where),
			"exchange them; if they are right, north of the countries that the map has, set Window to land.World"}
	}
	if !t.Window.Contains(p) && (p != land.Position{}) {
		if t.Window == land.SubSahara {
			return "outside of sub-Saharan Africa (set Window for other places)", nil
		}
		return "outside of the window", nil
	}
	return t.within(p), nil
}

// Remark is something odd about rows that are used.
type Remark struct {
	Text  string
	Rows  int
	First string // the first of the rows
}

func (r Remark) String() string { return fmt.Sprintf("%d %s, first %s", r.Rows, r.Text, r.First) }

// remark counts a used row that is odd. first describes the row.
func (r *Report) remark(text string, first func() string) {
	for i := range r.Remarks {
		if r.Remarks[i].Text == text {
			r.Remarks[i].Rows++
			return
		}
	}
	r.Remarks = append(r.Remarks, Remark{text, 1, first()})
}

// repeats finds surveys with the place, the year and the counts of an earlier one. It remembers the first places only,
// so that its memory is bounded; that is more than any public table of surveys has.
type repeats map[repeatKey]int32

type repeatKey struct {
	lon, lat                 float32
	year, examined, positive int32
}

const mostRepeats = 1 << 16

// look returns the line of an earlier survey that this one repeats, or 0.
func (r repeats) look(s Site) (line int) {
	key := repeatKey{float32(s.Lon), float32(s.Lat), int32(s.Year), int32(min(s.Examined, math.MaxInt32)),
		int32(min(s.Positive, math.MaxInt32))}
	if first, ok := r[key]; ok {
		return int(first)
	}
	if len(r) < mostRepeats {
		r[key] = int32(s.Line)
	}
	return 0
}

// odd remarks on a used site: a year that cannot be read, and an earlier survey that it repeats. year is the cell with
// its year.
func (r *Report) odd(s Site, year string, d dialect, seen repeats) {
	if s.Year == 0 {
		if _, missing, f := yearOf(year, d); !missing && f != nil {
			r.remark("rows with a year that cannot be read", func() string {
				return fmt.Sprintf("line %d: %s; %s", s.Line, f.detail, f.hint)
			})
		}
	}
	if line := seen.look(s); line > 0 {
		r.remark("rows that repeat the place, the year and the counts of an earlier row", func() string {
			return fmt.Sprintf("line %d, that of line %d; leave one out if they are one survey", s.Line, line)
		})
	}
}

// within applies the filter Within.
func (t Table) within(p land.Position) (filter string) {
	for _, r := range t.Within {
		if r.Near(p) {
			return ""
		}
	}
	if country := land.At(p); country != "" && len(t.Within) > 0 {
		return "in " + country + ", outside of Within"
	}
	if len(t.Within) > 0 {
		return "outside of Within"
	}
	return ""
}
