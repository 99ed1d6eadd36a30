package survey

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Report accounts for every row of a table, or every site put on a map: Rows = Used + the rows of Filtered + Refused.
type Report struct {
	// Source names the file, and Columns the columns that were read.
	Source, Columns string
	Rows, Used      int
	// Moved is how many used sites were beside the land and were moved to the nearest land cell.
	Moved int
	// Filtered has the numbers of rows that filters left out, by filter.
	Filtered []Tally
	// Remarks has the numbers of used rows that may be wrong, such as rows that repeat an earlier one.
	Remarks []Remark
	// Refused is how many rows cannot be right. Reasons has their numbers by reason.
	Refused int
	Reasons []Tally
	// Refusals are the first of the refused rows.
	Refusals []Refusal

	// The column of positives has a rate, is known to have no count above 1, and has a count above 1.
	rates, shares, counted bool
}

// Tally is the number of rows that share a reason.
type Tally struct {
	Reason string
	Rows   int
}

// Refusal is a row that cannot be right.
type Refusal struct {
	Line   int    // in the file, from 1; 0 for a site from no file
	Reason string // as in Reasons
	Detail string // the values
	Hint   string // what to do
}

func (r Refusal) String() string {
	where := "a site"
	if r.Line > 0 {
		where = fmt.Sprintf("line %d", r.Line)
	}
	return fmt.Sprintf("%s: %s: %s; %s", where, r.Reason, r.Detail, r.Hint)
}

// fault is a reason to refuse a row, with the values of the row and a hint.
type fault struct{ reason, detail, hint string }

// The reasons to refuse a row.
const (
	shape        = "columns unlike the header"
	quotes       = "quotes that don't match"
	noPlace      = "no coordinates"
	badPlace     = "coordinates that are no numbers"
	outOfRange   = "coordinates out of range"
	exchanged    = "longitude and latitude exchanged"
	nullIsland   = "coordinates 0, 0"
	noCount      = "no counts"
	badCount     = "counts that are no numbers"
	fraction     = "counts that are not whole"
	negative     = "negative counts"
	nobody       = "nobody examined"
	tooPositive  = "more positive than examined"
	tooMany      = "impossibly many examined"
	sum          = "sums of other rows"
	badYear      = "years that are no years"
	badAge       = "ages that are no numbers"
	offLand      = "far from land"
	inLake       = "in a lake"
	beyondTheMap = "beyond the map"
)

// filter counts a row that the filter name left out.
func (r *Report) filter(name string) { r.Filtered = count(r.Filtered, name) }

// refuse counts a refused row. It keeps the row in Refusals if these are fewer than keep.
func (r *Report) refuse(line int, f *fault, keep int) {
	r.Refused++
	r.Reasons = count(r.Reasons, f.reason)
	if len(r.Refusals) < keep {
		r.Refusals = append(r.Refusals, Refusal{line, f.reason, f.detail, f.hint})
	}
}

// count adds one row to the tally of a reason.
func count(tallies []Tally, reason string) []Tally {
	for i := range tallies {
		if tallies[i].Reason == reason {
			tallies[i].Rows++
			return tallies
		}
	}
	return append(tallies, Tally{reason, 1})
}

// FilteredRows returns how many rows the filters left out.
func (r Report) FilteredRows() int {
	n := 0
	for _, t := range r.Filtered {
		n += t.Rows
	}
	return n
}

// String returns a text of several lines: the numbers of rows by what happened to them, and a
// line for each refusal that was kept.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%d rows: %d used, %d filtered, %d refused", prefix(r.Source), r.Rows, r.Used, r.FilteredRows(),
		r.Refused)
	if r.Moved > 0 {
		fmt.Fprintf(&b, "; %d of those used lay beside the land and went to its nearest cell", r.Moved)
	}
	if r.Columns != "" {
		b.WriteString("\n  columns: " + r.Columns)
	}
	for _, part := range []struct {
		name    string
		tallies []Tally
	}{{"filtered", r.Filtered}, {"refused", r.Reasons}} {
		if len(part.tallies) == 0 {
			continue
		}
		sorted := slices.SortedStableFunc(slices.Values(part.tallies),
			func(a, b Tally) int { return cmp.Compare(b.Rows, a.Rows) })
		words := make([]string, len(sorted))
		for i, t := range sorted {
			words[i] = fmt.Sprintf("%d %s", t.Rows, t.Reason)
		}
		fmt.Fprintf(&b, "\n  %s: %s", part.name, strings.Join(words, ", "))
	}
	for _, x := range r.Remarks {
		b.WriteString("\n  remark: " + x.String())
	}
	for _, x := range r.Refusals {
		b.WriteString("\n  " + x.String())
	}
	if more := r.Refused - len(r.Refusals); more > 0 {
		fmt.Fprintf(&b, "\n  and %d more", more)
	}
	return b.String()
}

func prefix(source string) string {
	if source == "" {
		return ""
	}
	return source + ": "
}

// excerpt quotes text from a file. The quote has bounded length and no characters that could
// do harm where it is printed.
func excerpt(s string) string {
	const most = 40
	if runes := []rune(s[:min(len(s), 4*most)]); len(runes) > most {
		s = string(runes[:most]) + "…"
	}
	return fmt.Sprintf("%q", s)
}
