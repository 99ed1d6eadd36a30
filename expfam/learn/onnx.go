package learn

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/internal/safefile"
)

// ONNX writes a prior as an ONNX model, which onnxruntime reads in Python, JavaScript and elsewhere. The model is the
// denoiser of [Prior.Moments]: from x_t, √α and v of x_t | x₀ ~ N(√α x₀, v) it computes the mean and the variance of
// x₀ | x_t in float32. A card says what goes in, its scale and its range. It is in the metadata of the model under the
// key "expfam", and in a file of the same name with .json at its end.
type ONNX struct {
	Batch int // the number of x_t in a call, which is fixed. Default 1
}

// Card describes an ONNX model of a prior.
type Card struct {
	Model   string `json:"model"` // the architecture, with a digest of the weights
	Inputs  []Port `json:"inputs"`
	Outputs []Port `json:"outputs"`
	Cells   int    `json:"cells"`
	Rows    int    `json:"rows"` // of the grid of the cells, row after row from the top; 1 for a line
	Cols    int    `json:"cols"`
	// Mean and SD are those of each cell of x₀ under the prior. Low and High bound x₀; both are 0 if it has no bounds.
	// JSON has no infinity, so the largest number, 1.8e308, stands for it.
	Mean []float64 `json:"mean"`
	SD   []float64 `json:"sd"`
	Low  float64   `json:"low"`
	High float64   `json:"high"`
	// Sigma is the range of noise √(v/α) on which the network was trained.
	Sigma [2]float64 `json:"sigma"`
	Draw  string     `json:"draw"` // how to draw from the prior
}

// Port is an input or an output of a model.
type Port struct {
	Name    string `json:"name"`
	Shape   []int  `json:"shape"`
	Meaning string `json:"meaning"`
}

// drawing says how to draw with the model.
const drawing = "Take noise levels s_0 > s_1 > ... from sigma[1] down to sigma[0], equally spaced in log s, and " +
	"sqrt_alpha = 1/sqrt(1+s^2), v = s^2/(1+s^2). Start with standard normal x. In each step compute mean by the " +
	"model at the level s_i, then x = sqrt_alpha' mean + sqrt(v'/v) (x - sqrt_alpha mean) with the values " +
	"sqrt_alpha' and v' of the level s_(i+1) (DDIM, Song et al. 2021). The mean at the last level is a draw."

// Write writes the model and its card. ONNX Runtime must be installed.
func (o ONNX) Write(p *Prior, path string) error {
	o.Batch = cmp.Or(o.Batch, 1)
	if o.Batch < 1 || p == nil {
		return fmt.Errorf("learn: onnx: a batch of %d of %v; give a prior, and a batch of at least 1", o.Batch, p)
	}
	e, err := engine.Open("onnx")
	if err != nil {
		return err
	}
	exec, err := NewExec(e.Backend, func(x, sqrtAlpha, v *Node) []*Node {
		mean, variance := p.Moments(x, level.Nodes{SqrtAlpha: sqrtAlpha, V: v})
		return []*Node{mean, variance}
	})
	if err != nil {
		return fmt.Errorf("learn: onnx: %w", err)
	}
	defer exec.Finalize()
	one := func(v float32) *tensors.Tensor { return tensors.FromFlatDataAndDimensions([]float32{v}, 1, 1) }
	model, err := e.Model(func() error {
		x := tensors.FromFlatDataAndDimensions(make([]float32, o.Batch*p.Dim()), o.Batch, p.Dim())
		out, err := exec.Call(x, one(0.6), one(0.64))
		if err == nil {
			err = engine.Release(out...)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("learn: onnx: %w", err)
	}
	card, err := o.card(p, model)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(card, "", " ")
	if err != nil {
		return fmt.Errorf("learn: onnx: %w", err)
	}
	if err := safefile.WriteFile(path, append(model, metadata("expfam", string(text))...)); err != nil {
		return err
	}
	return safefile.WriteFile(path+".json", append(text, '\n'))
}

// card describes the model. The names of inputs and outputs are those of ONNX Runtime's binding, in the order of the
// arguments and results of the graph.
func (o ONNX) card(p *Prior, model []byte) (*Card, error) {
	c := &Card{Model: p.String(), Cells: p.Dim(), Mean: p.Scale.Mean, SD: p.Scale.SD, Draw: drawing,
		Low: max(p.Scale.Low, -math.MaxFloat64), High: min(p.Scale.High, math.MaxFloat64)}
	c.Rows, c.Cols = p.Lattice()
	c.Sigma[0], c.Sigma[1] = p.Range()
	inputs, outputs := ports(model)
	if len(inputs) != 3 || len(outputs) != 2 {
		return nil, fmt.Errorf("learn: onnx: the model has inputs %q and outputs %q; want 3 and 2", inputs, outputs)
	}
	batch := []int{o.Batch, p.Dim()}
	for k, meaning := range []string{"x_t, noisy fields", "sqrt(alpha) of x_t = sqrt(alpha) x_0 + sqrt(v) z",
		"v of x_t = sqrt(alpha) x_0 + sqrt(v) z"} {
		shape := []int{1, 1}
		if k == 0 {
			shape = batch
		}
		c.Inputs = append(c.Inputs, Port{inputs[k], shape, meaning})
	}
	for k, meaning := range []string{"mean of x_0 given x_t", "variance of each cell of x_0 given x_t"} {
		c.Outputs = append(c.Outputs, Port{outputs[k], batch, meaning})
	}
	return c, nil
}

// The numbers of the fields in onnx.proto (ONNX 1.17) of a model, a graph, a value and an entry of the metadata.
const (
	onnxGraph, onnxMetadata protowire.Number = 7, 14
	onnxInput, onnxOutput   protowire.Number = 11, 12
	onnxName                protowire.Number = 1
	onnxKey, onnxText       protowire.Number = 1, 2
)

// ports returns the names of the inputs and outputs of a model.
func ports(model []byte) (inputs, outputs []string) {
	each(model, func(number protowire.Number, graph []byte) {
		if number != onnxGraph {
			return
		}
		each(graph, func(number protowire.Number, value []byte) {
			if number != onnxInput && number != onnxOutput {
				return
			}
			each(value, func(field protowire.Number, name []byte) {
				switch {
				case field != onnxName:
				case number == onnxInput:
					inputs = append(inputs, string(name))
				default:
					outputs = append(outputs, string(name))
				}
			})
		})
	})
	return inputs, outputs
}

// each calls visit for every field of a message that is a byte string.
func each(message []byte, visit func(number protowire.Number, value []byte)) {
	for len(message) > 0 {
		number, kind, head := protowire.ConsumeTag(message)
		if head < 0 {
			return
		}
		size := protowire.ConsumeFieldValue(number, kind, message[head:])
		if size < 0 {
			return
		}
		if kind == protowire.BytesType {
			value, _ := protowire.ConsumeBytes(message[head:])
			visit(number, value)
		}
		message = message[head+size:]
	}
}

// metadata returns the field of a model that holds a text.
func metadata(key, text string) []byte {
	entry := protowire.AppendString(protowire.AppendTag(nil, onnxKey, protowire.BytesType), key)
	entry = protowire.AppendString(protowire.AppendTag(entry, onnxText, protowire.BytesType), text)
	return protowire.AppendBytes(protowire.AppendTag(nil, onnxMetadata, protowire.BytesType), entry)
}
