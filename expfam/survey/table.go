package survey

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/expfam/lab/expfam/internal/tabular"
	"github.com/expfam/lab/expfam/land"
)

// Table reads a delimited table of surveys whose first row names its columns: UTF-8, separated by commas, semicolons,
// tabs or bars, with quoted cells that may hold line breaks. Other columns are ignored.
//
// A row that cannot be right is refused, with its line and a hint, and is not used. The
// fields below are checked first, then the coordinates, then the counts.
type Table struct {
	// Columns are [MalariaAtlas], [Snow] or your own. Default: columns are found by common names.
	Columns Columns
	// Comma separates the cells. Default: the separator with which the columns are found.
	// If it is not a comma, numbers may have decimal commas.
	Comma rune
	// Decimal is the decimal mark of numbers, '.' or ','. Default: the numbers tell, and a count such as 1.234 in a
	// table that is not separated by commas is refused, because it may be a thousand or a fraction.
	Decimal rune
	// LazyQuotes reads quotes within a cell as text, as in encoding/csv.
	LazyQuotes bool
	// Years and Ages keep the surveys within these ranges, both ends included. A survey
	// of ages 0 to 99 is not within 2 to 10. Rows without a year or an age are left out.
	Years, Ages Range
	// Window leaves out surveys outside of it. Default [land.SubSahara]. A place far from land is refused if it would
	// be on land with longitude and latitude exchanged, unless the window is [land.World].
	Window land.Box
	// Within leaves out surveys that are neither in these regions nor within 0.05° of them, such as those of the
	// countries around a country. The report counts them by country. Default: no region leaves out any.
	Within []land.Region
	// Refusals is how many refused rows the report lists. Further refused rows are only counted. Default 20.
	Refusals int

	rates, shares bool // the column of positives is known to have rates, and nothing else
}

// Range is the interval from Low to High. A High of 0 means no upper end. The zero value means no filter.
type Range struct{ Low, High float64 }

func (r Range) String() string {
	if r.High == 0 {
		return fmt.Sprintf("%g and later", r.Low)
	}
	return fmt.Sprintf("%g to %g", r.Low, r.High)
}

func (r Range) contains(low, high float64) bool {
	return low >= r.Low && (high <= r.High || r.High == 0)
}

// Survey has the sites of a table and the report on its rows.
type Survey struct {
	Sites  []Site
	Report Report
}

// String sums up the sites, and adds the report.
func (s *Survey) String() string {
	n, y := 0, 0
	for _, site := range s.Sites {
		n, y = n+site.Examined, y+site.Positive
	}
	return fmt.Sprintf("%d surveys, %d positive of %d examined (%.3g%%)\n%s", len(s.Sites), y, n,
		100*float64(y)/max(1, float64(n)), s.Report)
}

// Read reads the surveys in a file. Refused rows are not an error. A quote that is never
// closed is an error, because the rows after it would be lost.
func (t Table) Read(path string) (*Survey, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("survey: %w", err)
	}
	defer file.Close()
	s, err := t.read(file)
	if err != nil {
		return nil, fmt.Errorf("survey: %s: %w", path, errors.Unwrap(err))
	}
	s.Report.Source = filepath.Base(path)
	return s, nil
}

func (t Table) read(text io.ReadSeeker) (*Survey, error) {
	s := &Survey{}
	var err error
	s.Report, err = t.Scan(text, func(site Site) { s.Sites = append(s.Sites, site) })
	if err == nil && s.Report.rates && s.Report.Used > 0 { // the rows above the first rate may have some as well
		if _, err = text.Seek(0, io.SeekStart); err == nil {
			t.rates, t.shares, s.Sites = true, !s.Report.counted, nil
			s.Report, err = t.Scan(text, func(site Site) { s.Sites = append(s.Sites, site) })
		}
	}
	return s, err
}

// Scan calls use with one site after the other. Its memory does not grow with the table.
// The report covers the rows that were read, also if there is an error.
func (t Table) Scan(r io.Reader, use func(Site)) (Report, error) {
	report, err := t.scan(r, use)
	if err != nil {
		err = fmt.Errorf("survey: %w", err)
	}
	return report, err
}

func (t Table) scan(r io.Reader, use func(Site)) (Report, error) {
	if err := t.check(); err != nil {
		return Report{}, err
	}
	t.Refusals = cmp.Or(t.Refusals, 20)
	if t.Window == (land.Box{}) {
		t.Window = land.SubSahara
	}
	in, err := t.open(r)
	if err != nil {
		return Report{}, err
	}
	d, first, err := t.dialect(in)
	if err != nil {
		return Report{}, err
	}
	report := Report{Columns: d.at.describe(d.header, d.comma), rates: t.rates, shares: t.shares}
	seen, sums := repeats{}, totals{}
	line := 1 // on which the last row began
	var held Site
	give := func() { // a row, when the next one is there, because the last one may be a sum
		if held.Line > 0 {
			report.Used++
			use(held)
			held.Line = 0
		}
	}
	for {
		var record tabular.Record
		var err error
		if first != nil {
			record, first = *first, nil
		} else {
			record, err = in.Next()
		}
		var broken *tabular.Broken
		switch {
		case err == io.EOF && report.Rows == 0:
			return report, errors.New("there is a header but no row below it")
		case err == io.EOF:
			if f := sums.last(); f != nil && held.Line > 0 {
				report.refuse(held.Line, f, t.Refusals)
				held.Line = 0
			}
			give()
			return report, sums.first()
		case errors.As(err, new(tabular.ErrEndless)), errors.As(err, &broken) && broken.Open:
			return report, fmt.Errorf("a quote below line %d is not closed, so the rows after it would be lost: "+
				"close it, or set LazyQuotes", line)
		case broken != nil:
			line = broken.To
			report.uncut(broken, t.Refusals)
			continue
		case err != nil:
			return report, err
		}
		report.Rows++
		line = record.Line
		site, filter, f := t.site(record.Cells, d)
		f = report.rate(site, filter, f, record.Cells[min(d.at[positive], len(record.Cells)-1)])
		give()
		if f == nil && len(record.Cells) >= len(d.header) {
			f = sums.add(record, d)
		}
		switch {
		case f != nil:
			report.refuse(line, f, t.Refusals)
		case filter != "":
			report.filter(filter)
		default:
			site.Line = line
			report.odd(site, d.cell(record.Cells, year), d, seen)
			held = site
		}
	}
}

// must marks the columns that the filters need.
func (t Table) must() (must [columnCount]bool) {
	must[year] = t.Years != Range{}
	must[ageLow] = t.Ages != Range{}
	must[ageHigh] = must[ageLow]
	return must
}

func (t Table) check() error {
	for _, r := range []Range{t.Years, t.Ages} {
		if !(r.Low <= r.High || r.High == 0) {
			return fmt.Errorf("a filter from %g to %g keeps nothing", r.Low, r.High)
		}
	}
	if w := t.Window; w != (land.Box{}) && !(w.West < w.East && w.South < w.North) {
		return fmt.Errorf("a window of %g to %g° east and %g to %g° north; give west below east and south below north",
			w.West, w.East, w.South, w.North)
	}
	if w := t.Window; w.West < -180 || w.East > 180 {
		return fmt.Errorf("a window of %g to %g° east; longitudes of a table are within ±180: subtract 360 from those "+
			"above, and read a window across the date line in two parts", w.West, w.East)
	}
	if strings.ContainsRune("\"\r\n\ufffd", t.Comma) && t.Comma != 0 {
		return fmt.Errorf("%q cannot separate cells", t.Comma)
	}
	return nil
}

// uncut refuses a row that cannot be cut into cells because of its quotes.
func (r *Report) uncut(broken *tabular.Broken, keep int) {
	r.Rows++
	where := "this line"
	if broken.To > broken.From {
		where = fmt.Sprintf("lines %d to %d", broken.From, broken.To)
	}
	r.refuse(broken.From, &fault{quotes, where + " cannot be cut into cells",
		"double the quotes within quoted cells, or set LazyQuotes"}, keep)
}

// Box returns a window for a map of the survey. The window contains all sites, with a margin of a tenth of their
// extent, or of a tenth of a degree if that is more. It is an error if no row could be used.
func (s *Survey) Box() (land.Box, error) {
	if len(s.Sites) == 0 {
		return land.Box{}, fmt.Errorf("survey: %s: none of its %d rows can be used; its report says why",
			s.Report.Source, s.Report.Rows)
	}
	b := land.Box{West: math.Inf(1), South: math.Inf(1), East: math.Inf(-1), North: math.Inf(-1)}
	for _, site := range s.Sites {
		b.West, b.East = min(b.West, site.Lon), max(b.East, site.Lon)
		b.South, b.North = min(b.South, site.Lat), max(b.North, site.Lat)
	}
	across, down := max(0.1, (b.East-b.West)/10), max(0.1, (b.North-b.South)/10)
	return land.Box{West: max(-180, b.West-across), South: max(-90, b.South-down), East: min(180, b.East+across),
		North: min(90, b.North+down)}, nil
}
