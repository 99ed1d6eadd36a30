package arviz

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/hmc"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/must"
)

// cases are posteriors of every shape that a tree can have.
func cases(t *testing.T) map[string]Data {
	t.Helper()
	out := map[string]Data{}

	// A Poisson field in a row, by hmc with its chains, under two links.
	line := gp.RBF{Cells: 10}
	counts := []float64{3, 0, 4, 9, 7, 2, 1, 0, 2, 6}
	density := expfam.Must(gp.LogDensity(line))
	for name, link := range map[string]string{"exp": "exp(1+x)", "softplus": "softplus(3+2*x)"} {
		like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink(link)}
		obs := expfam.Must(like.Observe1(counts...))
		post := must.Get(hmc.Sample(line, like, obs, hmc.Options{Seed: 1, Draws: 300, Warmup: 200, Fresh: true}))(t)
		out[name] = Data{Posterior: post, Obs: obs, Prior: line, LogPrior: density, Seed: 5}
	}

	// A map with axes, normal data, and cells without data, by independent draws.
	g := grid.Grid{Rows: 3, Cols: 4, X: grid.Axis{Name: "easting", Unit: "km", First: 10, Step: 5},
		Y: grid.Axis{Name: "northing", Unit: "km", First: 50, Step: -5}}
	field := gp.RBF{Cells: 12}
	normal := expfam.Likelihood{Family: expfam.Normal{SD: 2}}
	obs := expfam.Must(normal.Observe1(1, 2, -1, 0.5, 3, 2, 1, 0, -2, -1, 0.3, 0.1))
	whole := expfam.Must(gp.Exact(field, normal, obs))
	out["map"] = Data{Posterior: must.Get(whole.Sample(400, 1))(t), Obs: obs, Grid: g}
	missing := append(expfam.Observations(nil), obs...)
	missing[2], missing[7] = expfam.Term{}, expfam.Term{}
	out["missing"] = Data{Posterior: must.Get(must.Get(gp.Exact(field, normal, missing))(t).Sample(401, 1))(t),
		Obs:  missing,
		Grid: g}

	// Sums over districts with covariates, as under expfam.Product.
	design := operator.Design(mat.NewDense(4, 2, []float64{1, 0.5, 1, -0.5, 1, 1, 1, 0}))
	joint := jointGaussian(t, gp.RBF{Cells: 4}, 2)
	through := expfam.Likelihood{Family: expfam.Normal{SD: 1}, Operator: design}
	seen := expfam.Must(through.Observe1(1, 0, 2, 0.4))
	out["covariates"] = Data{Posterior: must.Get(must.Get(gp.Exact(joint, through, seen))(t).Sample(400, 2))(t),
		Obs:          seen,
		Coefficients: []string{"intercept", "höhe (m)"}, Labels: []string{"north", "east", "south", "west"},
		Names: []string{"y"}}
	return out
}

// jointGaussian is a field followed by independent standard coefficients.
func jointGaussian(t *testing.T, field gp.RBF, coefficients int) *gp.Gaussian {
	d := field.Cells
	cov := mat.NewSymDense(d+coefficients, nil)
	for i := range d {
		for j := range i + 1 {
			cov.SetSym(i, j, field.Cov().At(i, j))
		}
	}
	for i := range coefficients {
		cov.SetSym(d+i, d+i, 1)
	}
	return must.Get(gp.New(nil, cov))(t)
}

// ArviZ has the same summaries, leave-one-out and PIT: EXPFAM_TEST_ARVIZ is a Python that
// has testdata/requirements.txt.
func TestArviZ(t *testing.T) {
	python := os.Getenv("EXPFAM_TEST_ARVIZ")
	if python == "" {
		t.Skip("EXPFAM_TEST_ARVIZ is not set; the step arviz of .ci/steps sets it")
	}
	dir := t.TempDir()
	all := cases(t)
	for name, d := range all {
		folder := filepath.Join(dir, name)
		must.Do(t, os.Mkdir(folder, 0o755))
		must.Do(t, d.Save(filepath.Join(folder, "post.zarr")))
		writeJSON(t, filepath.Join(folder, "want.json"), wanted(t, name, d))
	}
	var models []calibrate.Candidate
	for _, name := range []string{"exp", "softplus"} {
		models = append(models, calibrate.Candidate{Name: name, Posterior: all[name].Posterior, Obs: all[name].Obs})
	}
	table := map[string]map[string]any{}
	for _, r := range expfam.Must(calibrate.Compare(models...)) {
		table[r.Name] = map[string]any{"rank": r.Rank, "elpd": r.Elpd, "p": r.P, "elpd_diff": r.Diff, "se": r.SE,
			"dse": r.DSE, "weight": r.Weight, "p_worse": finite(r.Worse)}
	}
	writeJSON(t, filepath.Join(dir, "compare.json"), table)
	out, err := exec.Command(python, "testdata/check.py", dir).CombinedOutput()
	if t.Logf("%s", out); err != nil {
		t.Error(err)
	}
}

func finite(v float64) any {
	if math.IsNaN(v) {
		return nil
	}
	return v
}

func writeJSON(t *testing.T, path string, v any) {
	t.Helper()
	raw, err := json.Marshal(v)
	if err == nil {
		err = os.WriteFile(path, raw, 0o644)
	}
	must.Do(t, err)
}

// wanted are the numbers of this library for a case.
func wanted(t *testing.T, name string, d Data) map[string]any {
	t.Helper()
	l := must.Get(d.layout())(t)
	groups := []string{"posterior", "sample_stats", "log_likelihood", "observed_data", "constant_data",
		"posterior_predictive"}
	if d.Prior != nil {
		groups = append(groups, "log_prior", "prior", "prior_predictive")
	}
	folded := *d.Posterior.Latent()
	post := &expfam.Posterior{X: folded.X, Likelihood: d.Posterior.Likelihood, Info: d.Posterior.Info}
	post.Info.Chains = l.chains
	want := map[string]any{"groups": groups, "summary": map[string]any{}, "texts": map[string]any{},
		"arrays": map[string]any{"posterior/x0": columns(post.X, 0, l.cells), "observed_data/y": observedY(d)}}
	for _, v := range []struct {
		name  string
		draws *expfam.Draws
	}{{"x0", post.Latent()}, {"theta", post.Theta()}} {
		low, high := v.draws.EqualTailed(0.89)
		columns := map[string][]any{}
		add := func(column string, value float64) { columns[column] = append(columns[column], finite(value)) }
		for j := range l.cells {
			add("mean", v.draws.Mean()[j])
			add("eti89_lb", low[j])
			add("eti89_ub", high[j])
			chains := make([][]float64, l.chains)
			column := mat.Col(nil, j, v.draws.X)
			for c := range chains {
				chains[c] = column[c*l.draws : (c+1)*l.draws]
			}
			add("ess_bulk", hmc.ESSBulk(chains))
			add("ess_tail", hmc.ESSTail(chains))
			if l.chains > 1 {
				add("r_hat", hmc.RHat(chains))
			}
			add("sd", v.draws.SD()[j])
		}
		want["summary"].(map[string]any)[v.name] = columns
	}
	loos := map[string]any{}
	for name, reff := range map[string]any{"one": 1.0, "as ArviZ estimates it": nil} {
		loo := calibrate.LOO{}
		if reff == nil {
			if len(d.Coefficients) > 0 { // its average has them, and a θ of the cells alone
				continue
			}
			loo.Efficiency = hmc.Efficiency(post)
		}
		e := must.Get(loo.Run(post, d.Obs))(t)
		total := e.Total()
		loos[name] = map[string]any{"reff": reff, "elpd": total.Mean, "se": total.SE, "p": e.P, "elpd_i": e.Pointwise,
			"pareto_k": e.K}
	}
	want["loo"] = loos
	if len(d.Coefficients) == 0 {
		low, high := must.Get2(calibrate.LOO{Efficiency: hmc.Efficiency(post)}.PIT(post, d.Obs, d.Seed))(t)
		want["pit"] = map[string]any{"low": low, "high": high}
	}
	if name == "missing" {
		want["arrays"].(map[string]any)["observed_data/datum"] = []int{0, 1, 3, 4, 5, 6, 8, 9, 10, 11}
		want["arrays"].(map[string]any)["observed_data/datum_easting"] = []float64{10, 15, 25, 10, 15, 20, 10, 15, 20,
			25}
	}
	if name == "covariates" {
		want["texts"] = map[string]any{"posterior/coefficient": d.Coefficients, "observed_data/datum_label": d.Labels}
	}
	return want
}

// observedY are the observations that are there.
func observedY(d Data) (y []float64) {
	for _, t := range d.Obs {
		if t != (expfam.Term{}) {
			back, _ := raw(d.Posterior.Likelihood.Family, t)
			y = append(y, back(t.Stat))
		}
	}
	return y
}
