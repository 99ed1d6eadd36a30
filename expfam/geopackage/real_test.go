package geopackage_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/geodesy"
	"github.com/expfam/lab/expfam/geopackage"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/graph"
	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/expfam/tables"
	"github.com/expfam/lab/internal/must"
)

// TestRealDistricts reads North Carolina and New York, if EXPFAM_TEST_DATA has areal/sids.gpkg, areal/NY8_utm18.gpkg
// and areal/NY_nb.gal of the package spData of R. Numbers and places are those of GeoPandas 1.1, and both go to a
// posterior of BYM2 with unknown sd and mixing that agrees with its certificate.
func TestRealDistricts(t *testing.T) {
	dir := filepath.Join(os.Getenv("EXPFAM_TEST_DATA"), "areal")
	path := filepath.Join(dir, "sids.gpkg")
	if _, err := os.Stat(path); err != nil {
		t.Skip("set EXPFAM_TEST_DATA to a folder with areal/*.gpkg")
	}
	must.Refuse(geopackage.Layer{}.Read(path))(t, "NAD27 (EPSG:4267)")
	nc := must.Get(geopackage.Layer{From: geodesy.NAD27}.Read(path))(t)
	real{nc, map[string]float64{"BIR74": 329962, "SID74": 667, "BIR79": 422392, "SID79": 836},
		land.Box{West: -84.323766, South: 33.882123, East: -75.456620, North: 36.589729}}.check(t)
	real{nc, nil, land.Box{}}.posterior(t, must.Get(graph.Borders{}.Of(nc))(t), "SID74", "BIR74")

	path = filepath.Join(dir, "NY8_utm18.gpkg")
	must.Refuse(geopackage.Layer{}.Read(path))(t, `row 209: region "36067013200"`, "set Repair")
	ny := must.Get(geopackage.Layer{Repair: true}.Read(path))(t)
	real{ny, map[string]float64{"POP8": 1057673, "Cases": 591.999789},
		land.Box{West: -76.738074, South: 41.997778, East: -75.239908, North: 43.418367}}.check(t)
	n := must.Get(graph.ReadGAL(filepath.Join(dir, "NY_nb.gal")))(t) // by the numbers of the rows
	real{ny, nil, land.Box{}}.posterior(t, n, "Cases", "POP8")
}

// TestEveryFile: each file of areal is read to the numbers that GeoPandas and pandas find, or is refused in words.
func TestEveryFile(t *testing.T) {
	dir := filepath.Join(os.Getenv("EXPFAM_TEST_DATA"), "areal")
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Skip("set EXPFAM_TEST_DATA to a folder with areal/*")
	}
	births := func(regions []land.Region, err error) (sum float64, _ error) {
		for _, r := range regions {
			sum += r.Properties["BIR74"].(float64)
		}
		return sum, err
	}
	pairs := func(n *graph.Neighbours, err error) (float64, error) {
		if err != nil {
			return 0, err
		}
		return float64(n.Pairs()), nil
	}
	column := func(name string) func(path string) (float64, error) {
		return func(path string) (float64, error) {
			rows, err := tables.Read(path)
			if err != nil {
				return 0, err
			}
			values, err := rows.Numbers(name)
			return floats.Sum(values), err
		}
	}
	gal := func(path string) (float64, error) { return pairs(graph.ReadGAL(path)) }
	cases := map[string]struct {
		read func(path string) (float64, error)
		want float64
		says string
	}{
		"nc.shp": {func(path string) (float64, error) { return births(land.Shapefile{From: geodesy.NAD27}.Read(path)) },
			329962, ""},
		"sids2.shp": {func(path string) (float64, error) { return births(land.Shapefile{WGS84: true}.Read(path)) },
			329962, ""},
		"sids.gpkg": {func(path string) (float64, error) {
			return births(geopackage.Layer{From: geodesy.NAD27}.Read(path))
		}, 329962, ""},
		"NY8_utm18.gpkg": {func(path string) (float64, error) {
			regions, err := geopackage.Layer{Repair: true}.Read(path)
			return float64(len(regions)), err
		}, 281, ""},
		"NY_nb.gal": {gal, 761, ""}, "ncCC89.gal": {gal, 197, ""}, "sids2.gal": {gal, 231, ""},
		"counts_flu_BYBW.txt":            {column("8336"), 252, ""},
		"population_2001-12-31_BYBW.txt": {column("pop31.12.2001"), 22930620, ""},
		"salmonella.agona.txt":           {column("observed"), 897, ""},
		"neighbourhood_BYBW.txt": {func(path string) (float64, error) {
			rows, err := tables.Read(path)
			if err != nil {
				return 0, err
			}
			names, matrix, err := rows.Matrix()
			if err != nil {
				return 0, err
			}
			return pairs(graph.Adjacent(names, matrix))
		}, 336, ""},
		"scotland_lip.data.json": {func(path string) (float64, error) { return births(land.GeoJSON{}.Read(path)) }, 0,
			`it has no "type", as GeoJSON has`},
	}
	for _, file := range files {
		name := file.Name()
		c, known := cases[name]
		switch {
		case strings.HasSuffix(name, ".data.json"):
			c = cases["scotland_lip.data.json"]
		case !known && (strings.Contains(".dbf .shx .prj", filepath.Ext(name)) || name == "SOURCE.txt"):
			continue // beside a shapefile
		case !known:
			t.Errorf("%s is new here", name)
			continue
		}
		got, err := c.read(filepath.Join(dir, name))
		if c.says != "" {
			must.Says(t, name, err, c.says)
			continue
		}
		must.Do(t, err, name)
		must.Equal(t, got, c.want, name)
	}
}

// real are districts of a file, and what GeoPandas says of them.
type real struct {
	regions []land.Region
	sums    map[string]float64
	box     land.Box
}

// check compares sums of columns and the box. A degree of 1e-4 is 10 m, the accuracy of NAD27.
func (r real) check(t *testing.T) {
	t.Helper()
	for key, want := range r.sums {
		var sum float64
		for _, region := range r.regions {
			sum += region.Properties[key].(float64)
		}
		must.Absolute(t, key, sum, want, 1e-6)
	}
	box := r.regions[0].Box()
	for _, region := range r.regions {
		b := region.Box()
		box = land.Box{West: min(box.West, b.West), South: min(box.South, b.South), East: max(box.East, b.East),
			North: max(box.North, b.North)}
	}
	for k, v := range [][2]float64{{box.West, r.box.West}, {box.South, r.box.South}, {box.East, r.box.East},
		{box.North, r.box.North}} {
		must.Absolute(t, fmt.Sprint("side ", k), v[0], v[1], 2e-4)
	}
}

// posterior runs the counts through BYM2. Cases of tracts that were shared out to several are rounded.
func (r real) posterior(t *testing.T, n *graph.Neighbours, cases, people string) {
	t.Helper()
	y, expected := make([]float64, len(r.regions)), make([]float64, len(r.regions))
	var all, exposed float64
	for i, region := range r.regions {
		y[i], expected[i] = math.Round(region.Properties[cases].(float64)), region.Properties[people].(float64)
		all, exposed = all+y[i], exposed+expected[i]
	}
	floats.Scale(all/exposed, expected)
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink}
	obs := must.Get(like.Observe(expfam.Data{Y: [][]float64{y}, Known: [][]float64{expected}}))(t)
	prior := gp.Unknown{Of: graph.BYM2{Neighbours: n, LevelSD: 3}}
	post := must.Get(diffusion.Sample(prior, like, obs, diffusion.Sampler{Draws: 400, Seed: 1, Fresh: true}))(t)
	t.Logf("%v: %.3g s; %v", n, post.Info.Seconds, post.Info.Certificate)
	for _, p := range post.Parameters {
		t.Logf("%s: median %.3g", p.Name, p.Median())
	}
	must.Equal(t, post.Info.Certificate.Verdict(), "agrees", fmt.Sprint(n))
}
