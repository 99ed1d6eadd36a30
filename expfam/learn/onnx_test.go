package learn_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	g "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/internal/must"
)

// The card of a model says all that a program in another language needs, and such a program draws what this library
// draws. EXPFAM_TEST_ONNX is a Python with numpy and onnxruntime, or node, whose NODE_PATH has onnxruntime-web.
func TestONNX(t *testing.T) {
	e, err := engine.Open("onnx")
	if err != nil {
		t.Skip(err)
	}
	prior := must.Get(learn.Load("../../notebooks/weights/gp-experts-score.safetensors"))(t)
	path := filepath.Join(t.TempDir(), "prior.onnx")
	must.Do(t, learn.ONNX{}.Write(prior, path))
	var card learn.Card
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile(path+".json"))(t), &card))
	low, high := prior.Range()
	must.Be(t, card.Cells == 30 && len(card.SD) == 30 && slices.Equal(card.Inputs[0].Shape, []int{1, 30}) &&
		card.Sigma == [2]float64{low, high} && card.Model == prior.String(), "card %+v", card)
	half := *prior
	half.Scale.High = math.Inf(1)
	positive := filepath.Join(t.TempDir(), "positive.onnx")
	must.Do(t, learn.ONNX{}.Write(&half, positive))
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile(positive+".json"))(t), &card))
	must.Be(t, card.Low == 0 && card.High == math.MaxFloat64, "bounds %g and %g", card.Low, card.High)
	must.Err(t, learn.ONNX{Batch: -1}.Write(prior, path), "a batch of -1")
	folder := t.TempDir()
	must.Err(t, learn.ONNX{}.Write(prior, folder), "it is a folder")
	_, err = os.Stat(folder + ".json")
	must.Be(t, errors.Is(err, os.ErrNotExist), "a card without a model: %v", err)
	program, script := os.Getenv("EXPFAM_TEST_ONNX"), "testdata/draw.py"
	if program == "" {
		t.Skip("EXPFAM_TEST_ONNX names no program with onnxruntime")
	}
	if strings.HasPrefix(filepath.Base(program), "node") {
		script = "testdata/draw.js"
	}
	noise, rng := make([]float32, 30), expfam.Stream(1, "onnx")
	for i := range noise {
		noise[i] = float32(rng.NormFloat64())
	}
	start := filepath.Join(t.TempDir(), "noise.json")
	must.Do(t, os.WriteFile(start, must.Get(json.Marshal(noise))(t), 0o600))
	out := must.Get(exec.Command(program, script, path, start, "40").Output())(t)
	var theirs []float64
	must.Do(t, json.Unmarshal(out, &theirs))
	for _, own := range []*engine.Engine{e, enginetest.Open(t, "go")} {
		far := 0.0
		for i, v := range draw(t, own, prior, card, slices.Clone(noise)) {
			far = max(far, math.Abs(v-theirs[i]))
		}
		t.Logf("%v: a draw by %s differs by at most %.2g", own, script, far)
		if far > 1e-5 { // float32 has seven digits, and 40 steps add up their rounding
			t.Errorf("%v: a draw differs by %g", own, far)
		}
	}
}

// draw draws by the recipe of the card with this library's own graph.
func draw(t *testing.T, e *engine.Engine, prior *learn.Prior, card learn.Card, x []float32) (mean []float64) {
	run := must.Get(g.NewExec(e.Backend, func(x, a, v *g.Node) *g.Node {
		m, _ := prior.Moments(x, level.Nodes{SqrtAlpha: a, V: v})
		return m
	}))(t)
	defer run.Finalize()
	const steps = 40
	sigma := func(i int) float64 {
		return card.Sigma[1] * math.Pow(card.Sigma[0]/card.Sigma[1], float64(i)/(steps-1))
	}
	one := func(v float64) *tensors.Tensor { return tensors.FromFlatDataAndDimensions([]float32{float32(v)}, 1, 1) }
	for i := range steps {
		l := level.At(sigma(i))
		mean = enginetest.Float64s(must.Get(run.Call(tensors.FromFlatDataAndDimensions(x, 1, len(x)), one(l.SqrtAlpha),
			one(l.V)))(t)[0])
		if i+1 == steps {
			break
		}
		next := level.At(sigma(i + 1))
		for j := range x {
			x[j] = float32(next.SqrtAlpha*mean[j] + math.Sqrt(next.V/l.V)*(float64(x[j])-l.SqrtAlpha*mean[j]))
		}
	}
	return mean
}
