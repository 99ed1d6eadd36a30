package survey

import (
	"fmt"
	"math"

	"github.com/expfam/lab/expfam/land"
)

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
func (r *Report) odd(s Site, year string, comma rune, seen repeats) {
	if s.Year == 0 {
		if _, missing, f := yearOf(year, comma); !missing && f != nil {
			r.remark("rows with a year that cannot be read", func() string {
				return fmt.Sprintf("line %d: %s; %s",
					s.Line, f.detail, f.hint)
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
