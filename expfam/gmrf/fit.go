package gmrf

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/machine"
	"github.com/expfam/lab/expfam/internal/pace"
	"github.com/expfam/lab/expfam/internal/parallel"
	"github.com/expfam/lab/expfam/sparse"
)

// plan returns the text, for the log, that says what is fitted.
func (m *model) plan(axes []axis) string {
	cells := fmt.Sprintf("%d by %d cells", m.prior.Grid.Rows, m.prior.Grid.Cols)
	if len(axes) == 0 {
		return cells + ", the hyperparameters are given"
	}
	names := make([]string, len(axes))
	for i, a := range axes {
		names[i] = a.name
	}
	return fmt.Sprintf("%s; to fit %s takes some %d fits of about %.2g s", cells, strings.Join(names, ", "),
		5*(stencil(len(axes))+2), m.seconds())
}

// seconds predicts the time of one Laplace approximation: three factorisations and as many passes over the cells.
func (m *model) seconds() float64 {
	return 3 * (m.precision.symbolic.Operations()/1.5e9 + 2e-7*float64(m.precision.N))
}

// fit maximises the evidence over the logarithms of the open hyperparameters.
func (m *model) fit(ctx context.Context) (*Approximation, error) {
	return m.maximise(ctx, m.search(ctx), func([]axis, []float64) float64 { return 0 })
}

// search weighs points of the hyperparameters by their evidence, on all processors. It knows the points that it has
// weighed. Newton's method starts at the mode of near.
type search struct {
	*model
	ctx   context.Context
	axes  []axis
	near  *Approximation
	known map[[4]float64]float64
	pace  *pace.Pace

	mu      sync.Mutex
	factors []*sparse.Factor // memory
}

func (m *model) search(ctx context.Context) *search {
	axes := m.axes()
	return &search{model: m, ctx: ctx, axes: axes, known: map[[4]float64]float64{},
		pace: pace.Search(ctx, "gmrf", m.plan(axes), "fit", 0)}
}

// from sets the mode from which Newton's method starts.
func (s *search) from(a *Approximation) {
	s.near = &Approximation{x: a.x, level: a.level} // without its factor, which must not be overwritten
}

// evidences returns the log evidences at points of the axes, and −∞ where there is none.
func (s *search) evidences(points [][]float64) ([]float64, error) {
	out, errs, modes := make([]float64, len(points)), make([]error, len(points)), make([]*Approximation, len(points))
	var fresh []int
	key := func(v []float64) (k [4]float64) { copy(k[:], v); return k }
	for i, v := range points {
		if e, ok := s.known[key(v)]; ok {
			out[i] = e
		} else {
			fresh = append(fresh, i)
		}
	}
	// Each processor has a factor of its own.
	one := 3 * s.precision.symbolic.Bytes()
	workers := max(1, min(4, int(machine.Available()/2/one)))
	slots := make(chan struct{}, workers)
	parallel.For(len(fresh), parallel.Heavy, func(k int) {
		slots <- struct{}{}
		defer func() { <-slots }()
		i := fresh[k]
		near := &Approximation{factor: s.take()}
		if s.near != nil {
			near.x, near.level = s.near.x, s.near.level
		}
		a, err := s.laplaceTo(s.ctx, rough, s.at(s.axes, points[i]), near)
		s.give(near.factor)
		s.pace.Step(math.NaN())
		if out[i], errs[i] = math.Inf(-1), err; err == nil {
			out[i], modes[i] = a.LogEvidence, &Approximation{x: a.x, level: a.level}
		}
	})
	best := math.Inf(-1)
	for _, i := range fresh {
		if out[i] > best { // the next points are probably nearer to this one
			s.near, best = modes[i], out[i]
		}
		if errors.Is(errs[i], expfam.ErrInterrupted) {
			return nil, fmt.Errorf("gmrf: %w while the hyperparameters were fitted", expfam.ErrInterrupted)
		}
		s.known[key(points[i])] = out[i]
	}
	return out, nil
}

func (s *search) take() *sparse.Factor {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.factors); n > 0 {
		f := s.factors[n-1]
		s.factors = s.factors[:n-1]
		return f
	}
	return s.precision.symbolic.Factor()
}

func (s *search) give(f *sparse.Factor) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.factors = append(s.factors, f)
}

const (
	// apart is the distance of the points of a stencil. Differences over it are accurate, because the evidence is
	// smooth and known to 1e-6.
	apart = 0.1
	// longest is the largest step of a search, and mostSteps the largest number of steps.
	longest, mostSteps = 2, 30
	// steep is the difference that stands for one to a point without evidence.
	steep = 20
	// settled is the gain of the log evidence below which a search ends.
	settled = 0.01
)

// stencil returns the number of points of a stencil.
func stencil(d int) int { return 1 + 2*d + d*(d-1) }

// quadratic returns f at a point with its slope and the information −∂²f, by differences over a stencil. f is the log
// evidence plus weight.
func (s *search) quadratic(v []float64, weight func(axes []axis, v []float64) float64) (top float64, slope []float64,
	information *mat.SymDense, err error) {
	d := len(v)
	points := [][]float64{v}
	add := func(i, j int, by float64) {
		moved := slices.Clone(v)
		moved[i] += by
		if j >= 0 {
			moved[j] += by
		}
		points = append(points, moved)
	}
	for i := range d {
		add(i, -1, apart)
		add(i, -1, -apart)
	}
	for i := range d {
		for j := range i {
			add(i, j, apart)
			add(i, j, -apart)
		}
	}
	f, err := s.evidences(points)
	if err != nil {
		return 0, nil, nil, err
	}
	for k, p := range points {
		f[k] = math.Max(f[k]+weight(s.axes, p), f[0]-steep)
	}
	slope, information = make([]float64, d), mat.NewSymDense(d, nil)
	k := 1 + 2*d
	for i := range d {
		up, down := f[1+2*i], f[2+2*i]
		slope[i] = (up - down) / (2 * apart)
		information.SetSym(i, i, (2*f[0]-up-down)/(apart*apart))
		for j := range i {
			mixed := f[k] + f[k+1] + 2*f[0] - up - down - f[1+2*j] - f[2+2*j]
			information.SetSym(i, j, -mixed/(2*apart*apart))
			k += 2
		}
	}
	return f[0], slope, information, nil
}

// maximise maximises the log evidence plus weight over the logarithms of the open hyperparameters, by Newton steps
// within the bounds of the axes.
func (m *model) maximise(ctx context.Context, s *search, weight func(axes []axis, v []float64) float64) (*Approximation,
	error) {
	if n := len(m.obs); len(s.axes) > 0 && m.obs.Blanks() == n {
		return nil, fmt.Errorf("gmrf: none of the %d observations has data, so nothing can be fitted to them; give "+
			"Range, SD and every other hyperparameter", n)
	}
	v := make([]float64, len(s.axes))
	for i, a := range s.axes {
		v[i] = a.start
	}
	if s.near == nil {
		first, err := m.laplace(ctx, m.at(s.axes, v), nil)
		if err != nil || len(v) == 0 {
			return first, err
		}
		s.from(first)
	} else {
		best := math.Inf(-1)
		for k, e := range s.known { // the search before this one
			if at := k[:len(v)]; e+weight(s.axes, at) > best && s.inside(at) {
				best = e + weight(s.axes, at)
				copy(v, at)
			}
		}
	}
	for range mostSteps {
		top, slope, information, err := s.quadratic(v, weight)
		if err != nil {
			return nil, err
		}
		if math.IsInf(top, -1) || floats.HasNaN(slope) {
			return nil, fmt.Errorf("gmrf: the evidence is not finite near %.3g; give Range and SD", v)
		}
		step := s.step(v, slope, information)
		next, gain, err := s.along(v, step, top, weight)
		if err != nil {
			return nil, err
		}
		if gain < settled {
			if gain > 0 {
				v = next
			}
			break
		}
		v = next
	}
	if err := s.press(v, weight); err != nil {
		return nil, err
	}
	best, err := m.laplace(ctx, m.at(s.axes, v), s.near)
	if err == nil {
		s.from(best)
	}
	return best, err
}

// press moves v to a bound that is near if the density there is no less: the evidence is flat where an effect vanishes.
func (s *search) press(v []float64, weight func(axes []axis, v []float64) float64) error {
	for i, a := range s.axes {
		bound := a.low
		if a.high-v[i] < v[i]-a.low {
			bound = a.high
		}
		if v[i] == bound || math.Abs(v[i]-bound) > 0.8 {
			continue
		}
		to := slices.Clone(v)
		to[i] = bound
		f, err := s.evidences([][]float64{v, to})
		if err != nil {
			return err
		}
		if f[1]+weight(s.axes, to) >= f[0]+weight(s.axes, v) {
			copy(v, to)
		}
	}
	return nil
}

// inside reports whether v lies within the bounds of the axes.
func (s *search) inside(v []float64) bool {
	for i, a := range s.axes {
		if v[i] < a.low || v[i] > a.high {
			return false
		}
	}
	return true
}

// step returns the Newton step in the axes that are free: those at a bound that the slope presses against are not.
// Directions without curvature count as ones of curvature 0.3.
func (s *search) step(v, slope []float64, information *mat.SymDense) []float64 {
	var free []int
	for i, a := range s.axes {
		if !(v[i] <= a.low && slope[i] <= 0 || v[i] >= a.high && slope[i] >= 0) {
			free = append(free, i)
		}
	}
	step := make([]float64, len(v))
	if len(free) == 0 {
		return step
	}
	part := mat.NewSymDense(len(free), nil)
	for a, i := range free {
		for b, j := range free {
			part.SetSym(a, b, information.At(i, j))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(part, true) {
		return step
	}
	var basis mat.Dense
	eigen.VectorsTo(&basis)
	for k, value := range eigen.Values(nil) {
		along := 0.0
		for a, i := range free {
			along += basis.At(a, k) * slope[i]
		}
		for a, i := range free {
			step[i] += along / math.Max(math.Abs(value), 0.3) * basis.At(a, k)
		}
	}
	if n := floats.Norm(step, 2); n > longest {
		floats.Scale(longest/n, step)
	}
	return step
}

// along returns the best point along a step, cut off at the bounds, and the gain there.
func (s *search) along(v, step []float64, top float64,
	weight func(axes []axis, v []float64) float64) ([]float64, float64, error) {
	for size := 1.0; size > 0.01; size /= 9 {
		points := [][]float64{}
		for _, by := range []float64{size, size / 3} {
			to := slices.Clone(v)
			floats.AddScaled(to, by, step)
			for i, a := range s.axes {
				to[i] = math.Min(math.Max(to[i], a.low), a.high)
			}
			points = append(points, to)
		}
		f, err := s.evidences(points)
		if err != nil {
			return nil, 0, err
		}
		best, gain := v, 0.0
		for k, p := range points {
			if g := f[k] + weight(s.axes, p) - top; g > gain {
				best, gain = p, g
			}
		}
		if gain > 0 {
			return best, gain, nil
		}
	}
	return v, 0, nil
}
