package arviz

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/internal/must"
)

// Names of data and axes that Save itself uses are refused in one sentence that says for what, and what to do.
func TestNames(t *testing.T) {
	axes := func(x, y string) func(d *Data) {
		return func(d *Data) {
			d.Grid = grid.Grid{Rows: 2, Cols: 3, X: grid.Axis{Name: x, Step: 1}, Y: grid.Axis{Name: y, Step: 1}}
		}
	}
	names := func(names ...string) func(d *Data) { return func(d *Data) { d.Names = names } }
	gaps := func(d *Data) { d.Obs[2] = expfam.Term{} }
	both := func(all ...func(d *Data)) func(d *Data) {
		return func(d *Data) {
			for _, f := range all {
				f(d)
			}
		}
	}
	twice := func(d *Data) {
		like := d.Posterior.Likelihood
		d.Posterior.Likelihood, d.Obs = expfam.Together(like, like), append(d.Obs, d.Obs...)
	}
	betas := func(d *Data) { d.Obs, d.Coefficients = nil, []string{"a", "b"} }
	for _, c := range []struct {
		change func(d *Data)
		want   string // "" if it is saved
	}{
		{names("chain"),
			`the name "chain" stands for the dimension of chains and for a data set; give the data another of the Names`},
		{names("draw"),
			`the name "draw" stands for the dimension of draws and for a data set; give the data another of the Names`},
		{names("cell"), `the name "cell" stands for the dimension of cells and for a data set; give`},
		{names("datum"), ""},
		{both(names("datum"), gaps),
			`the name "datum" stands for the dimension of data that are not a map without gaps and for a data set`},
		{names("theta"), ""}, // no group has data and θ
		{names("x0"), ""},
		{axes("lon", "draw"),
			`the name "draw" stands for the dimension of draws and for an axis of the grid; give the axis`},
		{axes("chain", "lat"), `the name "chain" stands for the dimension of chains and for an axis of the grid; give`},
		{axes("theta", "lat"),
			`the name "theta" stands for an axis of the grid and for a variable of the group posterior; give the axis`},
		{axes("lon", "x0"), `the name "x0" stands for an axis of the grid and for a variable of the group posterior`},
		{axes("lon", "statistic"),
			`the name "statistic" stands for an axis of the grid and for a variable of the group constant_data`},
		{axes("cell", "lat"), ""},
		{axes("datum", "lat"), ""},
		{both(axes("datum", "lat"), gaps),
			`the name "datum" stands for an axis of the grid and for the dimension of data that are not`},
		{both(axes("lon", "observed"), gaps),
			`the name "observed" stands for an axis of the grid and for a variable of the group`},
		{axes("lon", "lon"), `the name "lon" stands for an axis of the grid and for another one`},
		{axes("a b", "a/b"), `the name "a_b" stands for an axis of the grid and for another one`},
		{axes("x", "y"),
			`the name "y" stands for an axis of the grid and for a data set; give the data another of the Names`},
		{both(axes("x", "y"), names("cases")), ""},
		{both(axes("Cases", "lat"), names("cases")), ""},
		{axes("höhe", "纬度"), ""},
		{axes("lon", ".."), `an axis of the grid: the name ".." cannot be a folder: it begins with a dot`},
		{axes("lon", "a\nb"),
			`an axis of the grid: the name "a\nb" cannot be a folder: it has letters that cannot be printed`},
		{names(""), `a data set: the name "" cannot be a folder: it is empty; give the data another of the Names`},
		{names(".."), `a data set: the name ".." cannot be a folder: it begins with a dot`},
		{names("cases/1000"), `a data set: the name "cases/1000" cannot be a folder: it has a slash in it`},
		{names("c"), `a data set: the name "c" cannot be a folder: Zarr has files of this name`},
		{names("SHA256SUMS"), "Zarr has files of this name"},
		{names("\xff"), "it has letters that cannot be printed"},
		{names(strings.Repeat("n", 201)), "it has 201 bytes"},
		{names("Fälle pro 1000"), ""},
		{both(twice, names("y", "y")), `the name "y" stands for a data set and for another one`},
		{both(twice, gaps, names("a", "datum_a")),
			`the name "datum_a" stands for the dimension of data that are not a map without gaps and for a data set`},
		{both(betas, func(d *Data) {
			d.Grid = grid.Grid{Rows: 2, Cols: 2, X: grid.Axis{Name: "coefficient", Step: 1}}
		}), `the name "coefficient" stands for the dimension of coefficients and for an axis of the grid`},
	} {
		d := small()
		c.change(&d)
		dir := filepath.Join(t.TempDir(), "post.zarr")
		err := d.Save(dir)
		if c.want != "" {
			must.Be(t, err != nil && strings.Contains(err.Error(), c.want) && !strings.Contains(err.Error(), "<nil>"),
				"error %v, want %s", err, c.want)
			continue
		}
		if err == nil {
			_, err = Load(dir, d.Posterior.Likelihood)
		}
		must.Be(t, err == nil, "%v", err)
	}
}

// The number of chains is what the doc of Save says, and no draw is lost.
func TestChainsOfIndependentDraws(t *testing.T) {
	for draws, want := range map[int]int{2: 1, 4: 2, 8: 4, 9: 3, 40: 4, 41: 1, 50: 2, 25: 5, 49: 7, 121: 11, 143: 11,
		169: 13, 401: 1, 1000: 4} {
		got := fold(draws)
		must.Be(t, got == want && draws%got == 0, "%d draws are %d chains, want %d", draws, got, want)
	}
}

// A bit that flipped in the values, or in a description, is never another posterior.
func TestFlippedBits(t *testing.T) {
	d := small()
	d.Grid, d.Labels = grid.Grid{Rows: 2, Cols: 3}, []string{"a", "b", "c", "d", "e", "f"}
	dir := filepath.Join(t.TempDir(), "post.zarr")
	must.Do(t, d.Save(dir))
	whole := expfam.Must(Load(dir, d.Posterior.Likelihood))
	var paths []string
	filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			paths = append(paths, path)
		}
		return err
	})
	flips := 0
	for i, path := range paths {
		raw := expfam.Must(os.ReadFile(path))
		for k := range 3 {
			at := (i*7919 + k*104729) % len(raw)
			changed := slices.Clone(raw)
			changed[at] ^= 1 << ((i + k) % 8)
			os.WriteFile(path, changed, 0o600)
			_, err := Load(dir, d.Posterior.Likelihood)
			must.Be(t, err != nil, "bit %d of byte %d of %s flipped, and is accepted", (i+k)%8, at, path)
			flips++
		}
		os.WriteFile(path, raw, 0o600)
	}
	again, err := Load(dir, d.Posterior.Likelihood)
	must.Be(t, err == nil && mat.Equal(again.Posterior.X, whole.Posterior.X) &&
		reflect.DeepEqual(again.Posterior.Info, whole.Posterior.Info),
		"after %d flips: %v", flips, err)
	must.Be(t, flips >= 100, "%d flips", flips)
}

// A folder without checksums, as earlier versions wrote it, is read; numbers of attributes that are none are refused.
func TestFoldersWithoutChecksums(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "post.zarr")
	d := small()
	must.Do(t, d.Save(dir))
	os.Remove(filepath.Join(dir, "SHA256SUMS"))
	filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch raw, _ := os.ReadFile(path); {
		case err != nil || e.IsDir():
		case e.Name() == "zarr.json":
			text := string(raw)
			for _, codec := range []string{"{\n   \"name\": \"crc32c\"\n  }", "{\n     \"name\": \"crc32c\"\n    }"} {
				for _, blanks := range []string{"\n  ", "\n    "} {
					text = strings.ReplaceAll(text, ","+blanks+codec, "")
				}
			}
			must.Be(t, !strings.Contains(text, "crc32c") || filepath.Dir(path) == dir, "%s still has the codec", path)
			os.WriteFile(path, []byte(text), 0o600)
		default:
			os.WriteFile(path, raw[:len(raw)-4], 0o600)
		}
		return nil
	})
	got, err := Load(dir, d.Posterior.Likelihood)
	must.Need(t, err == nil && mat.Equal(got.Posterior.X, d.Posterior.X), "%v", err)
	path := filepath.Join(dir, "zarr.json")
	whole := string(expfam.Must(os.ReadFile(path)))
	for name, values := range map[string][]string{"markov_chains": {"3", "-1", "1.5", "1e300"}, "grid_rows": {"-2",
		"0.5"}, "memory": {"1e19"}} {
		for _, v := range values {
			changed := strings.Replace(whole, fmt.Sprintf("%q: 0", name), fmt.Sprintf("%q: %s", name, v), 1)
			os.WriteFile(path, []byte(changed), 0o600)
			must.Refuse(Load(dir, d.Posterior.Likelihood))(t, "the attribute "+name+" is ")
		}
	}
}
