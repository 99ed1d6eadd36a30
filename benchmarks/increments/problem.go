package increments

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/operator"
)

// Problem is a law of increments, an operator H from signals s to data, and the distribution of the data. The data are
// y = H s + Noise z with standard normal z, or Counts.
type Problem struct {
	Law      Law
	Name     string // name of the operator
	Operator expfam.RowOperator
	Noise    float64
	Counts   *Counts // nil for normal data

	power float64    // square root of the median, over the test signals, of the mean of (H s)²
	jumps *mat.Dense // (data, increments), H times the running sum
}

// Signal is one of a problem's signals with its data.
type Signal struct{ S, Y []float64 }

// Names of the operators, in the order of the tables.
const (
	Whole       = "identity"
	Blur        = "blur"
	Samples     = "samples"
	Frequencies = "spectrum"
)

// Operators returns the four operators of the benchmark: the identity, a periodic blur by 13 taps of a normalised
// Gaussian of standard deviation 2, about half of the samples, and about half of the frequencies, including the lowest
// five.
func Operators() map[string]expfam.RowOperator {
	rng := expfam.Stream(1, "increments/operators")
	var samples, frequencies []int
	for j := range Cells {
		if rng.Float64() < 0.5 {
			samples = append(samples, j)
		}
	}
	for f := range Cells/2 + 1 {
		if f < 5 || rng.Float64() < 0.5 {
			frequencies = append(frequencies, f)
		}
	}
	return map[string]expfam.RowOperator{
		Whole: &operator.Select{Cells: Cells},
		Blur: &operator.Convolution{Cols: Cells, Kernel: operator.Gaussian{SD: 2, Reach: 6},
			Boundary: operator.Periodic},
		Samples:     &operator.Select{Cells: Cells, Keep: samples},
		Frequencies: fourier(Cells, frequencies),
	}
}

// Names returns the names of the operators in the order of the tables.
func Names() []string { return []string{Whole, Blur, Samples, Frequencies} }

// population is the number of test signals over which the noise takes its median.
const population = 1000

// New returns the problem of a law and one of [Operators], with noise at 25 dB. The variance of the noise is the
// median, over the test signals, of the mean of (H s)², divided by 10^2.5.
func New(law Law, name string) (*Problem, error) {
	op, ok := Operators()[name]
	if !ok {
		return nil, fmt.Errorf("increments: there is no operator %q; take one of %v", name, Names())
	}
	p := &Problem{Law: law, Name: name, Operator: op}
	p.jumps = jumpsOf(op)
	powers := make([]float64, population)
	for k := range powers {
		data := p.apply(p.signal("test", k))
		powers[k] = floats.Dot(data, data) / float64(len(data))
	}
	slices.Sort(powers)
	median := (powers[population/2-1] + powers[population/2]) / 2
	p.power = math.Sqrt(median)
	p.Noise = math.Sqrt(median / math.Pow(10, 2.5))
	return p, nil
}

// Counted returns the same problem with counts instead of normal data.
func (p *Problem) Counted(c *Counts) *Problem {
	q := *p
	q.Counts = c
	return &q
}

func (p *Problem) String() string {
	if p.Counts != nil {
		return fmt.Sprintf("%v, %s, %v", p.Law, p.Name, p.Counts)
	}
	return fmt.Sprintf("%v, %s", p.Law, p.Name)
}

// jumpsOf returns the matrix whose column j is what a unit of increment j adds to the data.
func jumpsOf(op expfam.RowOperator) *mat.Dense {
	data, cells := op.Dims()
	b := mat.NewDense(data, cells, nil)
	for k := range data {
		row := b.RawRowView(k)
		op.Row(k, func(j int, w float64) { row[j] += w })
		for j := cells - 2; j >= 0; j-- {
			row[j] += row[j+1]
		}
	}
	return b
}

// signal draws signal k of a set.
func (p *Problem) signal(set string, k int) []float64 {
	rng := expfam.Stream(uint64(k), "increments/"+set)
	s, at := make([]float64, Cells), 0.0
	for j := range s {
		at += p.Law.Draw(rng)
		s[j] = at
	}
	return s
}

// apply returns H s.
func (p *Problem) apply(s []float64) []float64 {
	data, _ := p.Operator.Dims()
	out := make([]float64, data)
	for k := range out {
		p.Operator.Row(k, func(j int, w float64) { out[k] += w * s[j] })
	}
	return out
}

// Test returns test signal k with its data. It does not depend on the number of test signals.
func (p *Problem) Test(k int) Signal { return p.observed("test", k) }

// Validation returns validation signal k with its data. Methods choose their parameters on validation signals.
func (p *Problem) Validation(k int) Signal { return p.observed("validation", k) }

func (p *Problem) observed(set string, k int) Signal {
	s := p.signal(set, k)
	return Signal{s, p.data(s, expfam.Stream(uint64(k), "increments/"+set+"/noise/"+p.Name))}
}

// data draws data given a signal.
func (p *Problem) data(s []float64, rng *rand.Rand) []float64 {
	y := p.apply(s)
	for i, v := range y {
		if p.Counts != nil {
			y[i] = p.Counts.draw(v/p.power, rng)
		} else {
			y[i] += p.Noise * rng.NormFloat64()
		}
	}
	return y
}

// LogPosterior returns the log posterior of a signal given data, up to a constant. It is −∞ if the data are impossible.
func (p *Problem) LogPosterior(s, y []float64) float64 {
	mean, sum, before := p.apply(s), 0.0, 0.0
	if p.Counts == nil {
		sum = -math.Pow(floats.Distance(mean, y, 2)/p.Noise, 2) / 2
	} else {
		floats.Scale(1/p.power, mean)
		value, err := p.Counts.logLik(mean, y)
		if sum = value; err != nil {
			return math.Inf(-1)
		}
	}
	for _, v := range s {
		sum += p.Law.LogProb(v - before)
		before = v
	}
	return sum
}
