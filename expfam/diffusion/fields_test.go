package diffusion_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gmrf"
	"github.com/expfam/lab/expfam/gp"
	images "github.com/expfam/lab/expfam/grid"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/internal/fingerprint"
	"github.com/expfam/lab/expfam/internal/learntest"
	"github.com/expfam/lab/expfam/internal/storetest"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/expfam/scenes"
	"github.com/expfam/lab/expfam/store"
	"github.com/expfam/lab/internal/must"
)

// keyed is a configuration that enters a key, and how.
type keyed struct {
	name  string
	value any // a struct or a pointer to one; its numbers are not the defaults of other fields
	key   func(v any) (string, error)
	// with are other values of fields that are no numbers, by path.
	with map[string]any
	// not are the fields that change no result, by path, and why.
	not map[string]string
}

// TestKeysHaveAllFields goes over every field, of whatever depth and exported or not, of the types that enter keys of
// stored results: another value must be another key, or be refused, unless the table says why the field changes no
// result. A new field is met here before it can be forgotten.
func TestKeysHaveAllFields(t *testing.T) {
	e, other := enginetest.Open(t, "go"), enginetest.Open(t, "go:parallelism=1")
	c := learntest.Tiny(t)
	c.Steps = 2
	learned, inference := learntest.Train(t, few, c), learntest.TrainInference(t, few, poisson, c)
	bounded := *learned
	bounded.Scale.Low, bounded.Scale.High = -4, 5
	again := c
	again.Seed = 9
	others := learntest.TrainInference(t, few, poisson, again)
	vp := level.VP{Beta0: 0.002, Beta1: 18, Epsilon: 0.0015}
	short := Multistep{N: 3, VP: vp}

	sampler := func(v any) (string, error) { return PosteriorKey(few, poisson, v.(Sampler)) }
	family := func(v any) (string, error) {
		return PosteriorKey(few, expfam.Likelihood{Family: v.(expfam.Family)}, Sampler{Engine: e, Method: short})
	}
	method := func(v any) (string, error) {
		return PosteriorKey(few, poisson, Sampler{Engine: e, Method: v.(Method)})
	}
	guidance := func(v any) (string, error) {
		return PosteriorKey(few, poisson, Sampler{Engine: e, Method: short, Guidance: v.(Guidance)})
	}
	prior := func(v any) (string, error) {
		// The default method comes by all noise levels at which a coupling is known.
		return PosteriorKey(v.(expfam.Prior), poisson, Sampler{Engine: e, Guidance: Tempered{}})
	}
	uncoupled := func(v any) (string, error) {
		return PosteriorKey(v.(expfam.Prior), poisson, Sampler{Engine: e, Method: short})
	}
	inferrer := func(v any) (string, error) { return guidance(Evidence{Inference: v.(*learn.Inference)}) }
	simulator := func(v any) (string, error) { return fingerprint.Simulator(v.(expfam.Simulator), expfam.Stream) }
	opened := func(v any) (string, error) {
		m, err := v.(scenes.ImageFolder).Open()
		if err != nil {
			return "", err
		}
		return fingerprint.Simulator(m, expfam.Stream)
	}
	plain := func(v any) (string, error) { return store.TryKey(v) }
	syntax := func(v any) (string, error) { return store.TryKey(fmt.Sprintf("%#v", v)) }

	inferences := map[string]any{"Inference": others}
	symmetric := mat.NewSymDense(2, []float64{1, 0.4, 0.4, 0.9})
	gaussian := expfam.Must(gp.New([]float64{0.2, 0.3}, symmetric))
	identity := mat.NewDense(2, 2, []float64{1, 0, 0, 1})
	lattice := expfam.Must(gp.NewLattice(0.3, identity, identity, mat.NewDense(2, 2, []float64{1, 0.5, 0.4, 0.3})))
	field, _ := must.Get2(gp.NewStationary(2, 2, 0.3,
		func(r, c int) float64 { return []float64{1, 0.4, 0.1}[max(r, -r)+max(c, -c)] }))(t)
	folder := t.TempDir()
	for i := range 5 {
		x := make([]float64, 144)
		scenes.Procedural{Rows: 12, Cols: 12, Plain: true}.Draw(expfam.Stream(uint64(i), "image"), x)
		must.Do(t, (scenes.Sheet{Rows: 12, Cols: 12}).Save(filepath.Join(folder, fmt.Sprintf("%d.png", i)),
			[][]float64{x}))
	}
	derived := "it follows from the other fields when the value is made"
	shown := "it is shown, and draws nothing"
	matrix := func(path string) map[string]string {
		return map[string]string{path + ".mat.Rows": derived, path + ".mat.Cols": derived,
			path + ".mat.Stride": derived,
			path + ".capRows":    derived, path + ".capCols": derived}
	}
	unused := "results that are stored are not asked for"
	scores := "what is stored are scores, of which a call makes the values"
	grids := "prior.Grid has them in the name of the pyramid"
	number := "draws do not depend on how many of them are made at once"

	for _, c := range []keyed{
		{"sampler", Sampler{Draws: 7, First: 4, Seed: 2, Engine: e, Method: short, DType: dtypes.Float32}, sampler,
			map[string]any{"Method": Multistep{N: 4}, "Guidance": Delta{}, "Engine": other, "DType": dtypes.Float64},
			map[string]string{"Batch": number, "Progress": "it looks", "Watch": "it looks",
				"Plan": "it looks", "Fresh": unused}},
		{"sampler with a corrector", Sampler{Draws: 6, First: 0, Batch: 3, Seed: 2, Engine: e,
			Method: PredictorCorrector{N: 3}}, sampler,
			map[string]any{"Method": short, "Guidance": Delta{}, "Engine": other, "DType": dtypes.Float64},
			map[string]string{"Progress": "it looks", "Watch": "it looks", "Plan": "it looks",
				"Fresh": unused}},
		{"normal", expfam.Normal{SD: 2}, family, nil, nil},
		{"lognormal", expfam.LogNormal{SD: 2}, family, nil, nil},
		{"normal variance", expfam.NormalVariance{Mean: 2}, family, nil, nil},
		{"lognormal variance", expfam.LogNormalVariance{Mean: 2}, family, nil, nil},
		{"gamma", expfam.Gamma{Shape: 2}, family, nil, nil},
		{"weibull", expfam.Weibull{Shape: 2}, family, nil, nil},
		{"pareto", expfam.Pareto{Scale: 2}, family, nil, nil},
		{"binomial", expfam.Binomial{Trials: 8}, family, nil, nil},
		{"negative binomial", expfam.NegativeBinomial{Successes: 3}, family, nil, nil},
		{"beta-binomial", expfam.BetaBinomial{Trials: 8, Correlation: 0.1}, family, nil, nil},
		{"poisson", expfam.Poisson{}, family, nil, nil},
		{"exponential", expfam.Exponential{}, family, nil, nil},
		{"bernoulli", expfam.Bernoulli{}, family, nil, nil},
		{"geometric", expfam.Geometric{}, family, nil, nil},
		{"restarts", Restarts{First: 4, Count: 2, Each: 3, Last: 3, Low: 0.06, High: 0.5, Final: 0.3,
			Spread: 0.3, Light: 0.06, Skew: 0.5, VP: vp}, method, nil, nil},
		{"covariance steps", CovarianceSteps{N: 6}, method, nil, nil},
		{"multistep", Multistep{N: 5, VP: vp}, method, nil, nil},
		{"ode", ODE{N: 5, VP: vp}, method, nil, nil},
		{"predictor-corrector", PredictorCorrector{N: 4, SNR: 0.2, Clip: 8, VP: vp}, method, nil, nil},
		{"quadrature", Quadrature{Steps: 2, Newton: 5, Nodes: 6}, guidance, nil, nil},
		{"evidence", Evidence{Inference: inference}, guidance, inferences, nil},
		{"tempered", Tempered{Inference: inference}, guidance, inferences, nil},
		{"corrected", Corrected{Inference: inference, Steps: 2}, guidance, inferences, nil},
		{"dps", DPS{Weight: 0.7}, guidance, nil, nil},
		{"delta", Delta{}, guidance, nil, nil},
		{"unguided", Unguided{}, guidance, nil, nil},
		{"learned", &bounded, prior, map[string]any{"Net": nn.Experts{Experts: 3, Blocks: 1, Width: 16, Embedding: 16}},
			map[string]string{"Curve.Step": shown, "Curve.Train": shown, "Curve.HeldOut": shown,
				"Curve.Seconds": shown, "augmentation.parameters": scores, "augmentation.ahead": scores,
				"scales.Training": grids, "scales.Larger": grids, "report": shown}},
		{"inference", inference, inferrer, map[string]any{"Net": nn.Experts{Experts: 3, Blocks: 1, Width: 16,
			Embedding: 16},
			"Terms": expfam.Must(expfam.Likelihood{Family: expfam.Poisson{},
				Link: expfam.MustLink("exp(2*x)")}.Terms())},
			map[string]string{"Curve.Step": shown, "Curve.Train": shown, "Curve.HeldOut": shown, "Curve.Seconds": shown,
				"Scale.Low":  "the prior has the bounds of the draws",
				"Scale.High": "the prior has the bounds of the draws",
				"sight":      "made of the operator of Terms, whose weights are in the name"}},
		{"rbf", gp.RBF{Cells: 6, Variance: 1.1, Length: 0.3}, prior, nil, nil},
		{"gaussian", gaussian, prior, map[string]any{"cov": mat.NewSymDense(2, []float64{1, 0.2, 0.2, 1})},
			merge(matrix("basis"), map[string]string{"cov": derived, "root": derived})},
		{"product", expfam.Product(few, gaussian), prior, map[string]any{"productPrior": []expfam.Prior{gaussian, few}},
			nil},
		{"nugget", expfam.Nugget(few, 0.3), prior, map[string]any{"nuggetPrior.Of": gp.RBF{Cells: 6, Length: 0.2}},
			map[string]string{"draws": "the same prior"}},
		{"lattice", lattice, uncoupled, nil, merge(matrix("along"), matrix("cross"), matrix("values"))},
		{"procedural images", scenes.Procedural{Rows: 4, Cols: 5, Fields: 0.2, Patterns: 0.3}, simulator, nil, nil},
		{"windows of images", scenes.Crop{Of: scenes.Procedural{Rows: 6, Cols: 7, Fields: 0.2}, Rows: 3, Cols: 4},
			simulator,
			map[string]any{"Of": scenes.Procedural{Rows: 6, Cols: 7, Fields: 0.3}}, nil},
		{"image folder", scenes.ImageFolder{Path: folder, Rows: 6, Cols: 5, Zoom: 1.5}, opened, nil,
			map[string]string{"Path": "a folder that is moved has the same images"}},
		{"stationary field", field, simulator, nil, nil},
		{"field's options", gp.Options{Draws: 3, Seed: 4}, plain, nil, nil},
		{"gmrf's options", gmrf.Options{Draws: 3, Seed: 4, Window: 20}, plain, nil, nil},
		{"gmrf's prior", gmrf.Prior{Grid: images.Grid{Rows: 3, Cols: 4,
			X: images.Axis{Name: "a", Unit: "km", First: 1, Step: 2}, Y: images.Axis{Name: "b", Unit: "km", First: 1,
				Step: 2},
			Outside: make([]bool, 12), Radius: 3, Area: make([]float64, 12)}, Range: 2, SD: 0.5, Nugget: 0.1,
			Level: 0.3, LevelSD: 2, Alpha: 1}, syntax, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) { storetest.Fields(t, c.value, c.key, c.with, c.not) })
	}
}

func merge(all ...map[string]string) map[string]string {
	sum := map[string]string{}
	for _, m := range all {
		maps.Copy(sum, m)
	}
	return sum
}
