package templates_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/expfam/raster"
	"github.com/expfam/lab/expfam/scenes"
	"github.com/expfam/lab/expfam/survey"
	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/notebooks/templates"
)

// readers do what the templates do with a file, in the order of their cells, until the data are observed. The notebooks
// have these texts.
var readers = map[string]struct {
	source []string
	read   func(path string) error
}{
	"counts": {[]string{"raster.Column{}.Read(file)", "expfam.Poisson{}", "like.ObserveField(counts)"},
		func(path string) error {
			counts, err := raster.Column{}.Read(path)
			if err != nil {
				return err
			}
			_, err = expfam.Likelihood{Family: expfam.Poisson{}}.ObserveField(counts)
			return err
		}},
	"grid": {[]string{"raster.CSV{}.Read(file)", "expfam.Poisson{}", "like.ObserveField(counts)"},
		func(path string) error {
			counts, err := raster.CSV{}.Read(path)
			if err != nil {
				return err
			}
			_, err = expfam.Likelihood{Family: expfam.Poisson{}}.ObserveField(counts)
			return err
		}},
	"images": {[]string{"scenes.ImageFolder{Path: folder, Rows: 32, Cols: 32, Zoom: 1, Flip: true}", "files.Open()",
		"photos.Draw(", "photos.Report()"}, func(path string) error {
		photos, err := scenes.ImageFolder{Path: path, Rows: 32, Cols: 32, Zoom: 1, Flip: true}.Open()
		if err != nil {
			return err
		}
		for k := range 6 {
			photos.Draw(expfam.Stream(uint64(k), "look"), make([]float64, photos.Dim()))
		}
		if r := photos.Report(); len(r.Skipped) > 0 {
			return report(r.String())
		}
		return nil
	}},
	"survey": {[]string{"survey.Table{Window: land.World}.Read(file)", "Box: expfam.Must(surveys.Box())",
		"survey.Aggregate(area, surveys.Sites)"}, func(path string) error {
		surveys, err := survey.Table{Window: land.World}.Read(path)
		if err != nil {
			return err
		}
		if surveys.Report.Refused > 0 && len(surveys.Sites) > 0 {
			return report(surveys.String())
		}
		box, err := surveys.Box()
		if err != nil {
			return err
		}
		area, err := land.Frame{Rows: 48, Cols: 48, Box: box}.Map()
		if err != nil {
			return err
		}
		_, err = survey.Aggregate(area, surveys.Sites)
		return err
	}},
}

// report is what a cell prints of files and rows that it leaves out.
type report string

func (r report) Error() string { return string(r) }

// The data that ship are read, by what the notebooks say.
func TestData(t *testing.T) {
	for _, tpl := range templates.All {
		text := must.Get(os.ReadFile(tpl.Name + ".ipynb"))(t)
		var nb struct {
			Cells []struct{ Source []string }
		}
		must.Do(t, json.Unmarshal(text, &nb))
		all := ""
		for _, c := range nb.Cells {
			all += strings.Join(c.Source, "") + "\n"
		}
		for _, part := range readers[tpl.Name].source {
			must.Be(t, strings.Contains(all, part), "%s.ipynb has no %s", tpl.Name, part)
		}
		must.Do(t, readers[tpl.Name].read(tpl.Data[0]), tpl.Name)
	}
}

// The prior that the notebook of counts advises for counts which scatter more than Poisson counts goes with its
// likelihood, link and data.
func TestScatteredCounts(t *testing.T) {
	const advice = "expfam.Nugget(gp.RBF{Cells: counts.Grid.Cols, Length: 0.1}, 0.3)"
	text := must.Get(os.ReadFile("counts.ipynb"))(t)
	must.Be(t, strings.Contains(string(text), "`"+advice+"`"), "counts.ipynb does not advise %s", advice)
	counts := expfam.Must(raster.Column{}.Read("counts.csv"))
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(m+x)", expfam.Constants{"m": 1.8})}
	obs := expfam.Must(like.ObserveField(counts))
	sampler := diffusion.Sampler{Draws: 50, Seed: 1, Engine: expfam.Must(engine.Open("go")), Fresh: true}
	post := must.Get(diffusion.Sample(expfam.Nugget(gp.RBF{Cells: counts.Grid.Cols, Length: 0.1}, 0.3), like, obs,
		sampler))(t)
	low, high := slices.Min(post.Median()), slices.Max(post.Median())
	must.Be(t, low > 1 && high < 50, "the medians are %g to %g; rates of the simulated days are 3 to 30", low, high)
}

// A wrong file is refused in one sentence that names it, what is wrong where, and what to do.
func TestWrongFiles(t *testing.T) {
	utf16 := "\xff\xfec\x00o\x00u\x00n\x00t\x00"
	for _, c := range []struct{ template, name, text, want string }{
		{"counts", "columns", "day,cases\n1,3\n2,4\n",
			"the columns are day, cases: set Name to the one with the values"},
		{"counts", "types", "day,count\n1,3\n2,many\n",
			`line 3, column 2: "many" is no finite number; leave it empty where there is no value`},
		{"counts", "no counts", "day,count\n1,3\n2,4.5\n", "4.5"},
		{"counts", "sizes", "day,count\n1,3\n2\n", "line 3 has 1 columns, the header has 2"},
		{"counts", "encoding", utf16, "this is UTF-16; save it as UTF-8"},
		{"counts", "spreadsheet", "PK\x03\x04", "save the sheet as CSV"},
		{"grid", "columns", "a,b,c\n1,2,3\n",
			`line 1, column 1: "a" is no finite number; a raster has no header: remove it`},
		{"grid", "types", "1,2\n3,x\n", `line 2, column 2: "x" is no finite number; take it out`},
		{"grid", "negative", "1,2\n3,-4\n", "-4"},
		{"grid", "sizes", "1,2,3\n4,5\n", "line 2 has 2 columns, the lines before have 3; every row of a raster " +
			"has all columns"},
		{"grid", "encoding", utf16, "this is UTF-16; save it as UTF-8"},
		{"survey", "columns", "x,y,n\n1,2,3\n", "column"},
		{"survey", "types", "longitude,latitude,examined,positive\n36.8,-1.3,many,3\n36.9,-1.2,9,3\n",
			"line 2: counts that are no numbers: examined is \"many\"; write a whole number in digits"},
		{"survey", "sizes", "longitude,latitude,examined,positive\n36.8,-1.3,10,30\n36.9,-1.2,9,3\n",
			"line 2: more positive than examined: 30 positive of 10 examined; the columns may be exchanged"},
		{"survey", "no row", "longitude,latitude,examined,positive\n36.8,-1.3,10,30\n",
			"none of its 1 rows can be used; its report says why"},
		{"survey", "encoding", utf16, "this is UTF-16; save it as UTF-8"},
		{"images", "no images", "", "image"},
	} {
		t.Run(c.template+"/"+c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "mine.csv")
			must.Do(t, os.WriteFile(path, []byte(c.text), 0o600))
			if c.template == "images" {
				path = filepath.Dir(path)
			}
			check(t, readers[c.template].read(path), path, c.want)
		})
	}
	t.Run("images/no folder", func(t *testing.T) {
		check(t, readers["images"].read("nowhere"), "nowhere", "there is no folder nowhere")
	})
	t.Run("images/a damaged file among others", func(t *testing.T) {
		dir := t.TempDir()
		var b bytes.Buffer
		img := image.NewGray(image.Rect(0, 0, 40, 40))
		for i := range img.Pix {
			img.Set(i%40, i/40, color.Gray{Y: uint8(i)})
		}
		must.Do(t, png.Encode(&b, img))
		for name, data := range map[string][]byte{"good.png": b.Bytes(), "half.png": b.Bytes()[:60],
			"text.png": []byte("no image")} {
			must.Do(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
		}
		check(t, readers["images"].read(dir), "half.png", "half.png")
	})
}

func check(t *testing.T, err error, path, want string) {
	t.Helper()
	must.Need(t, err != nil, "accepted")
	t.Log(err)
	_, listed := err.(report)
	must.Be(t, strings.Contains(err.Error(), want) && (listed || !strings.Contains(err.Error(), "\n")),
		"got %v, want %q in one line", err, want)
	if names := []string{filepath.Base(path), filepath.Base(filepath.Dir(path)), "row"}; !slices.ContainsFunc(names,
		func(n string) bool { return strings.Contains(err.Error(), n) }) {
		t.Errorf("it names no place: %v", err)
	}
}
