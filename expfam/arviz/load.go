package arviz

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/internal/zarr"
)

// Load reads a folder that [Data.Save] wrote: the posterior with its draws to the bit, the
// observations and the names of coefficients. The likelihood like must have the same name as the
// likelihood that was saved, and give the observations the same log-likelihood at the first draw, to a
// millionth: an operator with other weights is refused. Diagnostics that are not finite are lost.
//
// A folder that was damaged or changed is refused: SHA256SUMS in it has the SHA-256 of every other file. A folder
// without that file, such as a copy that another program made, is read, and the checksums of the codec crc32c are
// verified.
func Load(dir string, like expfam.Likelihood) (Data, error) {
	tree, err := zarr.Read(dir)
	var d Data
	if err == nil {
		d, err = load(tree, like)
	}
	if err != nil {
		return Data{}, fmt.Errorf("arviz: load %s: %w", dir, err)
	}
	return d, nil
}

func load(t *zarr.Tree, like expfam.Likelihood) (d Data, err error) {
	g, ok := t.Group("posterior")
	if !ok || t.Attributes["creation_library"] != library {
		return d, fmt.Errorf("it was written by %v; give a folder that expfam wrote", t.Attributes["creation_library"])
	}
	if name := t.Attributes["likelihood"]; name != like.String() {
		return d, fmt.Errorf("made with %v, not with %v; give the likelihood it was made with", name, like)
	}
	x, ok := g.Array("x0")
	if !ok || len(x.Shape) < 3 || x.Floats() == nil {
		return d, errors.New("the group posterior has no draws x0")
	}
	draws := x.Shape[0] * x.Shape[1]
	cells := len(x.Floats()) / draws
	flat := x.Floats()
	if beta, ok := g.Array("beta"); ok {
		names, _ := g.Array("coefficient")
		d.Coefficients, _ = names.Data.([]string)
		k := len(d.Coefficients)
		if len(beta.Floats()) != draws*k || k == 0 {
			return d, errors.New("the coefficients beta have no names")
		}
		joined := make([]float64, 0, draws*(cells+k))
		for i := range draws {
			joined = append(append(joined, flat[i*cells:(i+1)*cells]...), beta.Floats()[i*k:(i+1)*k]...)
		}
		flat, cells = joined, cells+k
	}
	d.Posterior = &expfam.Posterior{X: mat.NewDense(draws, cells, flat), Likelihood: like}
	if err := d.Posterior.Latent().Check(); err != nil {
		return d, err
	}
	if d.Posterior.Info, err = infoOf(t.Attributes); err != nil {
		return d, err
	}
	if n := d.Posterior.Info.Chains; n > 0 && n != x.Shape[0] {
		return d, fmt.Errorf("the attribute markov_chains is %d, and the draws x0 have %d chains", n, x.Shape[0])
	}
	d.Posterior.Parameters = parametersOf(g, draws)
	if stats, ok := t.Group("sample_stats"); ok && d.Posterior.Info.Chains > 0 {
		d.Posterior.Stats = statsOf(stats, draws)
	}
	if d.Obs, err = observations(t, d.Posterior); err == nil && d.Obs != nil {
		err = sameLikelihood(t, d)
	}
	return d, err
}

// parametersOf returns the parameters of the group posterior, which have one number per draw.
func parametersOf(g zarr.Group, draws int) (all []expfam.ParameterDraws) {
	for _, a := range g.Arrays {
		if values := a.Floats(); len(a.Dims) == 2 && len(values) == draws {
			q := expfam.ParameterDraws{Draws: values}
			q.Name, _ = a.Attributes[longName].(string)
			q.Law, _ = a.Attributes["prior"].(string)
			q.Unit, _ = a.Attributes[units].(string)
			list, _ := a.Attributes[quantiles].([]any)
			for _, v := range list {
				f, _ := v.(float64)
				q.Prior = append(q.Prior, f)
			}
			all = append(all, q)
		}
	}
	return all
}

// sameLikelihood compares the log-likelihood of every observed datum at the first draw with the one in the folder.
// Names do not tell operators with other weights.
func sameLikelihood(t *zarr.Tree, d Data) error {
	_, cells := d.Posterior.Dims()
	first := &expfam.Posterior{X: mat.NewDense(1, cells, d.Posterior.X.RawRowView(0)),
		Likelihood: d.Posterior.Likelihood}
	logs, data, err := calibrate.Pointwise(first, d.Obs)
	if err != nil {
		return err
	}
	g, _ := t.Group("log_likelihood")
	k := 0
	for _, name := range namesOf(t) {
		a, ok := g.Array(name)
		if !ok || len(a.Shape) < 3 {
			return nil // written by an earlier version
		}
		n := 1
		for _, size := range a.Shape[2:] {
			n *= size
		}
		if n > len(a.Floats()) || k+n > len(data) {
			return fmt.Errorf("the log-likelihood of %s has %d data, of which %d are observed; give the operator "+
				"of that time", name, n, len(data))
		}
		for _, want := range a.Floats()[:n] {
			// Other processors round otherwise.
			if got := logs.At(0, k); got != want && !(math.Abs(got-want) <= 1e-6*(1+math.Abs(want))) &&
				!(math.IsNaN(got) && math.IsNaN(want)) {
				return fmt.Errorf("the log-likelihood of datum %d at the first draw is %.6g, and was %.6g when it "+
					"was written; give the operator and the link of that time", data[k], got, want)
			}
			k++
		}
	}
	return nil
}

// infoOf returns the Info of the posterior from the attributes.
func infoOf(attributes map[string]any) (info expfam.Info, err error) {
	text := func(name string) string { v, _ := attributes[name].(string); return v }
	number := func(name string) float64 { v, _ := attributes[name].(float64); return v }
	for _, name := range []string{"first_draw", "markov_chains", "evaluations", "products", "missing_data", "grid_rows",
		"grid_columns", "memory", localVariance + "replicates"} {
		if v := number(name); v != math.Trunc(v) || v < 0 || v >= 1<<53 {
			return info, fmt.Errorf("the attribute %s is %g; it must be a whole number", name, v)
		}
	}
	info = expfam.Info{Method: text("method"), Engine: text("engine"), Run: text("run"),
		First: int(number("first_draw")), Chains: int(number("markov_chains")),
		Evaluations: int(number("evaluations")), Products: int(number("products")),
		Missing: int(number("missing_data")), Rows: int(number("grid_rows")), Cols: int(number("grid_columns")),
		Quantity: text("quantity"), Uncertified: text(uncertified),
		Seconds: number("sampling_time"), Compile: number("compile_time"), Memory: int64(number("memory"))}
	if text, ok := attributes[certificate].(string); ok {
		if err := json.Unmarshal([]byte(text), &info.Certificate); err != nil {
			return info, fmt.Errorf("the attribute %s: %w", certificate, err)
		}
	}
	if n := number(localVariance + "replicates"); n > 0 {
		info.Local = &expfam.LocalVariance{Ratio: number(localVariance + "ratio"), More: number(localVariance + "more"),
			Less: number(localVariance + "less"), Replicates: int(n)}
	}
	if info.Seed, err = strconv.ParseUint(text("seed"), 10, 64); err != nil {
		return info, fmt.Errorf("the attribute seed: %w", err)
	}
	for name, v := range attributes {
		if f, ok := v.(float64); ok && strings.HasPrefix(name, diagnostic) {
			if info.Diagnostics == nil {
				info.Diagnostics = map[string]float64{}
			}
			info.Diagnostics[strings.TrimPrefix(name, diagnostic)] = f
		}
	}
	return info, nil
}

// statsOf returns the statistics of the sampler that have one number per draw.
func statsOf(g zarr.Group, draws int) map[string][]float64 {
	stats := map[string][]float64{}
	for _, a := range g.Arrays {
		switch v := a.Data.(type) {
		case []float64:
			if len(v) == draws && len(a.Dims) == 2 {
				stats[a.Name] = v
			}
		case []bool:
			stats[a.Name] = make([]float64, len(v))
			for i, b := range v {
				if b {
					stats[a.Name][i] = 1
				}
			}
		}
	}
	return stats
}
