package dirtyfiles

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calendar"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/raster"
	"github.com/expfam/lab/expfam/survey"
)

// The outcomes of a file.
const (
	equal     = "equal"
	refused   = "refused"
	later     = "refused later" // by the first function that uses what was read
	different = "different"
	panics    = "panics"
)

// judge reads a file and compares what was read with the truth. The detail is the error, or the first difference.
func judge(folder string, e entry) (outcome, detail string) {
	defer func() {
		if p := recover(); p != nil {
			outcome, detail = panics, fmt.Sprint(p)
		}
	}()
	path := filepath.Join(folder, e.File)
	var wrong string
	var err error
	switch e.Reader {
	case "points":
		wrong, err = points(path, e)
	case "npy":
		wrong, err = array(path, e)
	case "survey":
		return sites(path, e)
	case "dates":
		wrong, err = dates(path)
	case "geojson", "shapefile":
		wrong, err = regions(path, e)
	default:
		wrong, err = field(path, e)
	}
	var use refusal
	switch {
	case errors.As(err, &use):
		return later, err.Error()
	case err != nil:
		return refused, err.Error()
	case wrong != "":
		return different, wrong
	case e.Must == "refuse":
		return different, "it was read, and there is nothing to read"
	}
	return equal, ""
}

// dates compares the cells of a series with the first three weeks of 2021, whose Mondays the file has.
func dates(path string) (wrong string, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	times, err := calendar.Calendar{}.Read(strings.Split(string(data), "\n")...)
	if err == nil && times.Unit == calendar.Month { // 2021/1 is January for everybody
		return "", refusal{errors.New("months")}
	}
	if err == nil && strings.Join(times.Labels(), " ") != "2021-W01 2021-W02 2021-W03" {
		wrong = fmt.Sprint(times)
	}
	return wrong, err
}

// refusal is an error of a function that uses what was read.
type refusal struct{ error }

func field(path string, e entry) (wrong string, err error) {
	var f grid.Field
	switch e.Reader {
	case "csv":
		f, err = raster.CSV{}.Read(path)
	case "column":
		f, err = raster.Column{Name: e.Options.Name}.Read(path)
	case "asc":
		f, err = raster.ReadASCIIGrid(path)
	case "geotiff":
		f, err = raster.GeoTIFF{Band: e.Options.Band}.Read(path)
	default:
		return "no such reader", nil
	}
	if err != nil {
		return "", err
	}
	if f.Grid.Rows != e.Truth.Rows || f.Grid.Cols != e.Truth.Cols {
		return fmt.Sprintf("%d rows of %d, not %d of %d", f.Grid.Rows, f.Grid.Cols, e.Truth.Rows, e.Truth.Cols), nil
	}
	if p := e.Truth.Place; p != nil && f.Grid.Y.Step*p.DY < 0 { // with its rows in the other direction
		g := f.Grid
		f.Grid.Y.First, f.Grid.Y.Step = g.Y.At(g.Rows-1), -g.Y.Step
		f.Values, f.Grid.Outside = flipped(g, f.Values), flipped(g, g.Outside)
	}
	if wrong := placed(f.Grid, e.Truth.Place); wrong != "" {
		return wrong, nil
	}
	undeclared := true // whether all differences are missing values that are numbers in the file
	for j, want := range e.Truth.Values {
		got := f.Values[j]
		if !f.Grid.Inside(j) {
			got = math.NaN()
		}
		if !want.is(got) {
			undeclared = undeclared && want.exact == nil
			if wrong == "" {
				wrong = fmt.Sprintf("cell %d is %v, not %v", j, got, want.exact)
			}
		}
	}
	if wrong != "" && undeclared {
		_, err := expfam.Likelihood{Family: expfam.Normal{SD: 1}}.ObserveField(f)
		_, onto := f.Onto(f.Grid, nil)
		if err != nil && onto != nil {
			return "", refusal{err}
		}
	}
	return wrong, nil
}

// flipped returns a vector of a grid with its last row first.
func flipped[T any](g grid.Grid, x []T) (out []T) {
	for r := g.Rows - 1; r >= 0 && x != nil; r-- {
		out = append(out, x[r*g.Cols:(r+1)*g.Cols]...)
	}
	return out
}

// placed compares the axes of a grid with the truth.
func placed(g grid.Grid, want *place) string {
	x, y := g.Axes()
	switch {
	case want == nil && (g.X.Step != 0 || g.Radius != 0):
		return fmt.Sprintf("placed at %g by %g, and nothing says so", x.First, y.First)
	case want == nil:
		return ""
	case want.System == "degrees" != (g.Radius != 0), want.System == "feet" && x.Unit == "m":
		return fmt.Sprintf("coordinates of radius %g in %q, not %s", g.Radius, x.Unit, want.System)
	}
	for _, c := range [][3]float64{{x.First, want.X, want.DX}, {y.First, want.Y, want.DY}, {x.Step, want.DX, want.DX},
		{y.Step, want.DY, want.DY}} {
		if !(math.Abs(c[0]-c[1]) <= 1e-6*math.Abs(c[2])) {
			return fmt.Sprintf("placed at %g by %g in steps of %g by %g, not %+v", x.First, y.First, x.Step, y.Step,
				*want)
		}
	}
	return ""
}

func points(path string, e entry) (wrong string, err error) {
	got, err := raster.PointsCSV{X: e.Options.X, Y: e.Options.Y, Weight: e.Options.Weight}.Read(path)
	if err != nil {
		return "", err
	}
	if len(got) != len(e.Truth.Points) {
		return fmt.Sprintf("%d points, not %d", len(got), len(e.Truth.Points)), nil
	}
	for k, p := range got {
		if want := e.Truth.Points[k]; !want[0].is(p.X) || !want[1].is(p.Y) || !want[2].is(p.Weight) {
			return fmt.Sprintf("point %d is %v, not %v %v %v", k, p, want[0].exact, want[1].exact, want[2].exact), nil
		}
	}
	return "", nil
}

func array(path string, e entry) (wrong string, err error) {
	a, err := raster.ReadNPY(path)
	if err != nil {
		return "", err
	}
	if !slices.Equal(a.Shape, e.Truth.Shape) {
		return fmt.Sprintf("shape %v, not %v", a.Shape, e.Truth.Shape), nil
	}
	for j, want := range e.Truth.Values {
		if !want.is(a.Values[j]) && !math.IsInf(a.Values[j], 1) {
			return fmt.Sprintf("value %d is %v, not %v", j, a.Values[j], want.exact), nil
		}
	}
	return "", nil
}

var siteName = regexp.MustCompile(`S\d{3}`)

// sites compares the rows of a survey that were used. A table of which a report refuses rows that have their truth is
// refused, if it is right in the others.
func sites(path string, e entry) (outcome, detail string) {
	got, err := survey.Table{}.Read(path)
	if err != nil {
		return refused, err.Error()
	}
	r := got.Report
	rows := r.Rows
	for _, f := range r.Filtered {
		if f.Reason == "empty" {
			rows -= f.Rows
		}
	}
	if r.Used == 0 {
		return refused, r.String()
	}
	if rows != e.Truth.Rows || r.Used+r.Refused+r.FilteredRows() != r.Rows {
		return different, fmt.Sprintf("%d rows, %d used, %d refused, %d filtered; the table has %d",
			r.Rows, r.Used, r.Refused, r.FilteredRows(), e.Truth.Rows)
	}
	for _, s := range got.Sites {
		k := slices.IndexFunc(e.Truth.Sites, func(w site) bool { return w.Name == siteName.FindString(s.Name) })
		if k < 0 {
			return different, fmt.Sprintf("%q is no site", s.Name)
		}
		w := e.Truth.Sites[k]
		if slices.Contains(e.Truth.Lost, w.Name) || math.Abs(s.Lon-w.Lon)+math.Abs(s.Lat-w.Lat) > 1e-9 ||
			s.Examined != w.Examined || s.Positive != w.Positive || s.Year != w.Year && s.Year != 0 {
			return different, fmt.Sprintf("%+v, not %+v", s, w)
		}
	}
	if r.Used+len(e.Truth.Lost) == len(e.Truth.Sites) {
		return equal, ""
	}
	return refused, r.String()
}
