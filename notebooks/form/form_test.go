package form

import (
	"fmt"
	"go/parser"
	"go/token"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/viz"
)

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		name, text, err string
		n               int
	}{
		{"commas", "3, 0, 4", "", 3},
		{"spaces and semicolons", "1.5;2\t3 4", "", 4},
		{"a word", "3, x", `"x" is no number`, 0},
		{"missing", "3, NaN", "", 2},
		{"missing by all its names", "NA 3, , -, na", "", 5},
		{"an empty end", "3, 0, 4,", "", 3},
		{"an empty beginning", ", 0, 4", "", 3},
		{"two empty ones", "3,,,4", "", 4},
		{"decimal commas", "1,5; 2,3", "commas and semicolons", 0},
		{"decimal commas and spaces", "3,5 4,1", `"3,5" may be one number or two`, 0},
		{"decimal commas, commas and spaces", "-3,5, \u22124,1", `"-3,5" may be one number or two`, 0},
		{"commas and a space", "3,5,4 1", "", 4},
		{"commas without spaces", "3,5", "", 2},
		{"a minus sign", "\u22123.5, 4", "", 2},
		{"infinite", "3, -Inf", `"-Inf" is not finite`, 0},
		{"out of range", "3, 1e999", `"1e999" is no number`, 0},
		{"one", "3", "two numbers or more", 0},
		{"nothing", " ", "two numbers or more", 0},
		{"too many", strings.Repeat("1 ", 61), "at most 60", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			y, err := numbers(c.text)
			if len(y) != c.n || c.err == "" && err != nil || c.err != "" &&
				(err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Errorf("%v, %v", y, err)
			}
		})
	}
}

// What the form refuses has a sentence that says why.
func TestRefuses(t *testing.T) {
	for _, c := range []struct {
		name, want string
		entry
	}{
		{"a link of another range", "sigmoid(x)", entry{"expfam.Geometric{}", "exp(1+x)", "1, 2", 10, 1}},
		{"a formula", "something is missing", entry{"expfam.Poisson{}", "exp(", "1, 2", 10, 1}},
		{"a division by zero", "division by zero", entry{"expfam.Poisson{}", "1/0", "1, 2", 10, 1}},
		{"a huge count", "standard deviations", entry{"expfam.Poisson{}", "exp(1+x)", "1e18, 2", 10, 1}},
		{"huge counts", "the data are no draw of this model", entry{"expfam.Poisson{}", "exp(1+x)", "1e9, 2e9", 10, 1}},
		{"more than the trials", "1e+09 positive of 12 examined",
			entry{"expfam.Binomial{Trials: 12}", "", "1e9, 2", 10, 1}},
		{"half a count", "1.5", entry{"expfam.Poisson{}", "", "1.5, 2", 10, 1}},
		{"nothing", "two numbers or more", entry{"expfam.Poisson{}", "", "", 10, 1}},
		{"a count", "-1", entry{"expfam.Poisson{}", "", "1, -1", 10, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := c.figure(&diffusion.Live{}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want a sentence with %s", err, c.want)
			} else if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than a line: %v", err)
			}
		})
	}
}

// Counts that are all zero are data like others.
func TestZeros(t *testing.T) {
	for _, f := range families {
		data := "0, 0, 0"
		if f.source == "expfam.Geometric{}" {
			data = "1, 1, 1" // trials until a success
		}
		must.Get((entry{f.source, "", data, 4, 1}).figure(&diffusion.Live{}))(t, f.source)
	}
}

// What is missing widens its own interval, and stands in the title and in the program.
func TestMissing(t *testing.T) {
	e := entry{"expfam.Poisson{}", "exp(1+x)", "3, NA, , 4", 50, 1}
	y, err := numbers(e.data)
	must.Be(t, err == nil && fmt.Sprint(y) == "[3 NaN NaN 4]", "%v, %v, want %s", y, err, "[3 NaN NaN 4]")
	fig := must.Get(e.figure(&diffusion.Live{}))(t)
	intervals := fig.(viz.Intervals)
	must.Equal(t, intervals.Title, "θ of 4 observations, 2 missing")
	must.Get(intervals.Chart())(t)
	source := e.program()
	if _, err := parser.ParseFile(token.NewFileSet(), "", source, 0); err != nil || !strings.Contains(source,
		"Observe1(3, math.NaN(), math.NaN(), 4)") || !strings.Contains(source, "\"math\"") {
		t.Errorf("%v in\n%s", err, source)
	}
	e.data = "NA, NA"
	must.Refuse(e.figure(&diffusion.Live{}))(t, "none of the 2 cells")
}

// The draws of the form are those of its program: diffusion.Live and diffusion.Sample agree to the rounding of float32.
func TestSame(t *testing.T) {
	t.Setenv("EXPFAM_STORE", t.TempDir())
	e := entry{"expfam.Poisson{}", "exp(1+x)", "3, 0, 4", 20, 1}
	sampler := &diffusion.Live{}
	must.Get(e.figure(sampler))(t)
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(1+x)")}
	obs := expfam.Must(like.Observe1(3, 0, 4))
	form := must.Get(sampler.Sample(like, obs))(t)
	program := must.Get(diffusion.Sample(gp.RBF{Cells: 3}, like, obs, diffusion.Sampler{Draws: 20, Seed: 1}))(t)
	for i := range 20 {
		for j := range 3 {
			a, b := form.X.At(i, j), program.X.At(i, j)
			must.Need(t, math.Abs(a-b) <= 1e-4*(1+math.Abs(b)), "draw %d, cell %d: %g and %g", i, j, a, b)
		}
	}
}

// The program that the form shows is Go, and compiles.
func TestProgram(t *testing.T) {
	for _, f := range families {
		source := entry{f.source, "", "3, 0.5", 100, 2}.program()
		_, err := parser.ParseFile(token.NewFileSet(), "", source, 0)
		must.Be(t, err == nil, "%v in\n%s", err, source)
	}
	if !*fulltest.Full {
		return
	}
	path := filepath.Join(t.TempDir(), "main.go")
	must.Do(t, os.WriteFile(path, []byte(entry{families[0].source, "exp(1+x)", "3, 0", 100, 2}.program()), 0o600))
	out, err := exec.Command("go", "vet", path).CombinedOutput()
	must.Be(t, err == nil, "%v\n%s", err, out)
}
