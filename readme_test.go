// Package lab_test holds the programs of README.md and of docs, so that they compile.
package lab_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/formula"
	"github.com/expfam/lab/expfam/gmrf"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/expfam/raster"
	"github.com/expfam/lab/expfam/scenes"
	"github.com/expfam/lab/expfam/survey"
	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/viz"
)

// README's first program. It has no output to compare: it trains for half a minute.
func Example() {
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(1+x)")}
	obs := expfam.Must(like.Observe1(3, 0, 4, 9, 7, 2, 1, 0, 2, 6))
	prior := expfam.Must(learn.Train(gp.RBF{Cells: 10}, learn.Training{Steps: 1000}))
	post := expfam.Must(diffusion.Sample(prior, like, obs, diffusion.Sampler{Draws: 500, Seed: 1}))
	viz.Save(viz.Intervals{Draws: post, Title: "Ten rates"}, "rates.html")
}

// The manual's programs.
func ownData() {
	field := expfam.Must(raster.CSV{}.Read("counts.csv"))
	like := expfam.Likelihood{Family: expfam.Poisson{}}
	obs := expfam.Must(like.ObserveField(field))
	post := expfam.Must(gmrf.Sample(gmrf.Prior{Grid: field.Grid}, like, obs, gmrf.Options{Seed: 1}))
	viz.Show(post)
}

func inALine() {
	counts := expfam.Must(raster.Column{Name: "cases"}.Read("weeks.csv"))
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(1+x)")}
	obs := expfam.Must(like.ObserveField(counts))
	prior := gp.RBF{Cells: counts.Grid.Cols, Length: 0.1} // of the length of the line
	post := expfam.Must(diffusion.Sample(prior, like, obs, diffusion.Sampler{Seed: 1}))
	viz.Show(counts, post)
}

func inDistricts(cases []float64) {
	districts := expfam.Must(land.GeoJSON{Name: "district"}.Read("districts.geojson"))
	area := expfam.Must(land.Frame{Rows: 16, Cols: 16, Regions: districts}.Map())
	sums := &operator.Polygons{Grid: area.Grid, Regions: districts, Projection: area.Projection, Least: 0.8}
	like := expfam.Likelihood{Family: expfam.Poisson{}, Operator: expfam.SumOf{Operator: sums}}
	obs := expfam.Must(like.Observe1(cases...))
	post := expfam.Must(gmrf.Sample(gmrf.Prior{Grid: area.Grid}, like, obs, gmrf.Options{Seed: 1}))
	viz.Show(post, expfam.Must(post.Through(sums))) // of cells, and of districts by name
}

func surveys() {
	table := expfam.Must(survey.Table{Window: land.World}.Read("survey.csv"))
	area := expfam.Must(land.Frame{Rows: 24, Cols: 24, Box: expfam.Must(table.Box())}.Map())
	cells := expfam.Must(survey.Aggregate(area, table.Sites))
	like := expfam.Likelihood{Family: expfam.Binomial{}}
	obs := expfam.Must(like.ObserveField(cells.Fields()))
	o := gmrf.Options{Seed: 1, Overdispersed: true}
	post := expfam.Must(gmrf.Sample(gmrf.Prior{Grid: area.Grid}, like, obs, o))
	fmt.Println(table) // with the lines that were refused, and why
	viz.Show(cells, post)
}

func images() {
	photos := expfam.Must(scenes.ImageFolder{Path: "images", Rows: 32, Cols: 32, Flip: true}.Open())
	network := nn.UNet{Rows: 32, Columns: 32, Multiples: []int{1, 2, 2}, Adaptive: true}
	prior := expfam.Must(learn.Train(photos, learn.Training{Net: network, Batch: 32}))
	viz.Show(expfam.Must(diffusion.Draw(prior, diffusion.Sampler{Draws: 6, Seed: 1})))
}

var _ = images // compiled and not run: it needs a folder of images, and trains for minutes

// They run on files with gaps.
func TestOwnData(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("EXPFAM_STORE", t.TempDir())
	must.Do(t, os.WriteFile("counts.csv", []byte("3,1,0,2,5\n4,,1,3,4\n5,2,NA,2,3\n8,4,1,1,2\n"), 0o600))
	ownData()
	must.Do(t, os.WriteFile("weeks.csv", []byte("week,cases\n1,3\n2,NA\n3,5\n4,\n5,8\n6,2\n"), 0o600))
	inALine()
	square := `{"type":"Feature","properties":{"district":"%s"},"geometry":{"type":"Polygon","coordinates":[[[%d,0],[%d,0],[%d,2],[%d,2],[%d,0]]]}}`
	west, east := fmt.Sprintf(square, "west", 30, 32, 32, 30, 30), fmt.Sprintf(square, "east", 32, 34, 34, 32, 32)
	must.Do(t, os.WriteFile("districts.geojson", []byte(`{"type":"FeatureCollection","features":[`+west+","+east+"]}"),
		0o600))
	inDistricts([]float64{3, 8})
	must.Do(t, os.WriteFile("survey.csv", []byte(
		"longitude,latitude,examined,positive\n30.5,-1,40,7\n31,0.4,55,12\n32.2,0.9,20,1\n33,-0.5,31,9\n"),
		0o600))
	surveys()
}

// Maxwell is p(y | θ) = √(2/π) y² θ^(−3/2) exp(−y²/(2θ)), speeds with variance θ a component.
type Maxwell struct{}

func (Maxwell) String() string { return "maxwell" }
func (Maxwell) Natural() expfam.Natural {
	return expfam.Natural{Eta: formula.MustParse("-1/theta"), Partition: formula.MustParse("log(theta)"),
		Low: 0, High: math.Inf(1)}
}
func (Maxwell) Reduce(y float64, _ expfam.Known) (expfam.Term, error) {
	if !(y > 0) {
		return expfam.Term{}, fmt.Errorf("speed %g is not positive", y)
	}
	return expfam.Term{Stat: y * y / 2, Size: 1.5, Base: math.Log(2/math.Pi)/2 + 2*math.Log(y)}, nil
}
func (Maxwell) Rand(theta float64, _ expfam.Known, rng *rand.Rand) float64 {
	return math.Sqrt(theta) * math.Hypot(rng.NormFloat64(), math.Hypot(rng.NormFloat64(), rng.NormFloat64()))
}
func (Maxwell) Conjugate() expfam.Conjugate { return expfam.InvGammaPrior{} }
func (Maxwell) DefaultLink() expfam.Link    { return expfam.ExpLink }

// hill is the share that responds to a dose of exp(x).
func hill(x float64) float64 {
	dose := math.Exp(x)
	return 0.05 + 0.9*dose*dose/(4+dose*dose)
}

// The link of docs/likelihood.md, with 9 of 10 responses at one place and none of 10 at another.
func Example_hill() {
	like := expfam.Likelihood{Family: expfam.Binomial{Trials: 10},
		Link: expfam.Must(expfam.TableLink("hill", hill))}
	obs := expfam.Must(like.Observe1(9, 0))
	post := expfam.Must(diffusion.Sample(gp.RBF{Cells: 2}, like, obs, diffusion.Sampler{
		Draws: 300, Seed: 1, Engine: expfam.Must(engine.Open("go")), Fresh: true,
	}))
	fmt.Printf("%v: %.1f\n", like, post.Median())
	// Output:
	// binomial(n=10) with theta = hill: [0.8 0.1]
}

// README's likelihood, under its default link: speeds at three places, the variances of their components.
func Example_maxwell() {
	like := expfam.Likelihood{Family: Maxwell{}}
	obs := expfam.Must(like.Observe1(0.8, 2, 5))
	post := expfam.Must(diffusion.Sample(gp.RBF{Cells: 3}, like, obs, diffusion.Sampler{
		Draws: 300, Seed: 1, Engine: expfam.Must(engine.Open("go")), Fresh: true,
	}))
	fmt.Printf("%.1f\n", post.Median())
	_, err := like.Observe1(0.8, -2, 5)
	fmt.Println(err)
	// Output:
	// [0.5 1.3 4.4]
	// expfam: observe: cell 1, replicate 0: speed -2 is not positive
}

// declared is what a file declares, by name, in gofmt's form: methods by their type as
// well, and of functions without a receiver the body alone.
func declared(t *testing.T, source string) map[string]string {
	t.Helper()
	files := token.NewFileSet()
	file := must.Get(parser.ParseFile(files, "", source, 0))(t)
	text := func(node any) string {
		var b bytes.Buffer
		must.Do(t, format.Node(&b, files, node))
		return b.String()
	}
	all := map[string]string{}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				all[d.Name.Name] = text(d.Body)
			} else {
				all[text(d.Recv.List[0].Type)+"."+d.Name.Name] = text(d)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if s, ok := s.(*ast.TypeSpec); ok {
					all[s.Name.Name] = text(s)
				}
			}
		}
	}
	return all
}

var goBlock = regexp.MustCompile("(?s)```go\n(.*?)```")

// The Go code of README.md and of docs stands above, word for word.
func TestREADME(t *testing.T) {
	var docs []byte
	for _, name := range []string{"README.md", "docs/manual.md", "docs/likelihood.md"} {
		text := must.Get(os.ReadFile(name))(t)
		docs = append(docs, text...)
	}
	source := must.Get(os.ReadFile("readme_test.go"))(t)
	here := declared(t, string(source))
	here["main"] = here["Example"]
	compared := map[string]bool{}
	for _, block := range goBlock.FindAllStringSubmatch(string(docs), -1) {
		code := block[1]
		if !strings.HasPrefix(code, "package ") {
			code = "package main\n" + code
		}
		for name, text := range declared(t, code) {
			compared[name] = true
			must.Be(t, here[name] == text,
				"a document has another %s:\n%s\n\nreadme_test.go:\n%s", name, text, here[name])
		}
	}
	for _, name := range []string{"main", "ownData", "inALine", "inDistricts", "surveys", "images", "hill", "Maxwell",
		"Maxwell.Reduce"} {
		must.Be(t, compared[name], "no document has %s", name)
	}
}
