package faults

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/nn"
)

// pure is the engine that every machine has, to the bit the same.
var pure = expfam.Must(engine.Open("go"))

var (
	few     = gp.RBF{Cells: 4, Length: 0.4}
	poisson = expfam.Likelihood{Family: expfam.Poisson{}}
	data    = expfam.Must(poisson.Observe1(1, 0, 3, 2))
	short   = diffusion.Multistep{N: 4}
	small   = nn.Experts{Experts: 2, Blocks: 1, Width: 8, Embedding: 6}
)

// setting is a struct of options, and a call that takes it.
type setting struct {
	name string
	zero any
	use  func(v any, stepped func()) error
	// free are fields of which every value is possible, or with = that value.
	free string
}

func settings() []setting {
	sample := func(s diffusion.Sampler, stepped func()) error {
		s.Fresh, s.Engine = true, pure
		s.Progress = func(int, int, float64) { stepped() }
		s.Draws = cmp.Or(s.Draws, 2)
		_, err := diffusion.Sample(few, poisson, data, s)
		return err
	}
	method := func(v any, stepped func()) error {
		return sample(diffusion.Sampler{Method: v.(diffusion.Method)}, stepped)
	}
	guidance := func(v any, stepped func()) error {
		return sample(diffusion.Sampler{Method: short, Guidance: v.(diffusion.Guidance)}, stepped)
	}
	train := func(sim expfam.Simulator, c learn.Training, stepped func()) error {
		c.Fresh, c.Engine = true, pure
		c.Progress = func(int, int, float64) { stepped() }
		if c.Net == nil {
			c.Net = small
		}
		c.Steps = cmp.Or(c.Steps, 1)
		c.Batch = cmp.Or(c.Batch, 8)
		_, err := learn.Train(sim, c)
		return err
	}
	network := func(v any, stepped func()) error {
		return train(few, learn.Training{Net: v.(nn.Network)}, stepped)
	}
	family := func(v any, _ func()) error {
		_, err := expfam.Likelihood{Family: v.(expfam.Family)}.Observe1(1, 1)
		return err
	}
	return []setting{
		{"sampler", diffusion.Sampler{}, func(v any, stepped func()) error {
			return sample(v.(diffusion.Sampler),
				stepped)
		}, "Seed DType Moves=-1"},
		{"restarts", diffusion.Restarts{}, method, ""},
		{"multistep", diffusion.Multistep{}, method, ""},
		{"ode", diffusion.ODE{}, method, ""},
		{"predictor-corrector", diffusion.PredictorCorrector{N: 3}, method, "Correctors"},
		{"quadrature", diffusion.Quadrature{}, guidance, ""},
		{"dps", diffusion.DPS{}, guidance, ""},
		{"poisson-ls", diffusion.PoissonLS{}, guidance, ""},
		{"poisson-dps", diffusion.PoissonDPS{}, guidance, ""},
		{"training", learn.Training{}, func(v any, stepped func()) error {
			return train(few, v.(learn.Training),
				stepped)
		}, "Seed Norm=+Inf"},
		{"rbf, sampled", gp.RBF{}, func(v any, stepped func()) error {
			_, err := diffusion.Sample(v.(gp.RBF), poisson, data,
				diffusion.Sampler{Method: short, Engine: pure, Fresh: true,
					Progress: func(int, int, float64) { stepped() }})
			return err
		}, ""},
		{"rbf, trained on", gp.RBF{}, func(v any, stepped func()) error {
			return train(v.(gp.RBF), learn.Training{},
				stepped)
		}, ""},
		{"experts", small, network, "Blocks"},
		{"mlp", nn.MLP{}, network, ""},
		{"unet", nn.UNet{Rows: 8, Columns: 8}, func(v any, stepped func()) error {
			return train(gp.RBF{Cells: 64}, learn.Training{Net: v.(nn.UNet)}, stepped)
		}, "Attention"},
		{"normal", expfam.Normal{}, family, ""},
		{"lognormal", expfam.LogNormal{}, family, ""},
		{"gamma", expfam.Gamma{}, family, ""},
		{"weibull", expfam.Weibull{}, family, ""},
		{"pareto", expfam.Pareto{}, family, ""},
		{"binomial", expfam.Binomial{}, family, ""},
		{"negative binomial", expfam.NegativeBinomial{}, family, ""},
		{"beta-binomial", expfam.BetaBinomial{}, family, ""},
	}
}

// Impossible numbers of any field of any struct of options.
func TestSettings(t *testing.T) {
	a := newArea("settings")
	type number struct {
		setting
		index []int
		path  string
	}
	var all []number
	for _, s := range settings() {
		numbers(reflect.TypeOf(s.zero), nil, "", func(path string, index []int) {
			if !strings.Contains(" "+s.free+" ", " "+path+" ") {
				all = append(all, number{s, index, path})
			}
		})
	}
	n := max(len(all), cases(0, 1000))
	for i := range n {
		c := all[i%len(all)]
		v := reflect.New(reflect.TypeOf(c.zero)).Elem()
		v.Set(reflect.ValueOf(c.zero))
		value := impossible(a.rng, v.FieldByIndex(c.index))
		if strings.Contains(c.free, c.path+"="+value) {
			continue
		}
		a.try(t, fmt.Sprintf("%s with %s of %s", c.name, c.path, value), func() error {
			stepped := false
			err := c.use(v.Interface(), func() { stepped = true })
			switch {
			case err == nil:
				return wrong("it is accepted")
			case stepped:
				return wrong("a step was made before the error: %v", err)
			case !strings.Contains(err.Error(), value):
				return wrong("the value is not in the error: %v", err)
			}
			return refused(err)
		})
	}
}

// numbers calls visit for every exported number of a struct, of whatever depth.
func numbers(typ reflect.Type, index []int, path string, visit func(path string, index []int)) {
	for i := range typ.NumField() {
		f := typ.Field(i)
		if !f.IsExported() {
			continue
		}
		at := append(index[:len(index):len(index)], i)
		switch f.Type.Kind() {
		case reflect.Int, reflect.Int64, reflect.Float64:
			visit(path+f.Name, at)
		case reflect.Struct:
			numbers(f.Type, at, path+f.Name+".", visit)
		}
	}
}

// impossible sets a number to what it cannot be, and returns how errors write that.
func impossible(rng *rand.Rand, field reflect.Value) string {
	if field.CanInt() {
		field.SetInt(-1 - rng.Int64N(1000))
		return fmt.Sprint(field.Int())
	}
	field.SetFloat(pick(rng, math.NaN(), math.Inf(1), math.Inf(-1), -0.5, -2, -1000))
	return fmt.Sprint(field.Float())
}
