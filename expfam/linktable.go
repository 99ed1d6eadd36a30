package expfam

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"

	g "github.com/gomlx/gomlx/core/graph"
)

// TableLink returns the link θ = f(x) of a Go function, such as a curve that was fitted elsewhere. The name stands for
// f in texts. Results are stored under the name and the values of f, so a function that was changed has other results.
//
// The function is called at multiples of 0.005 in [−6, 6], which are six standard deviations of a prior of unit
// variance. There it must be finite, strictly monotone and smooth. θ itself is f(x) at every x. Of the
// log-likelihood, the functions η(f(x)) and A(f(x)) and their first two derivatives are tables; see [Terms]. If a
// value of a table differs from f by more than 10⁻⁵, or a first derivative by more than 10⁻⁴, relative to the larger
// of the value and 1, the link is refused. TestTablesAgainstFormulas has the differences under usual links.
//
// Beyond |x| = 5.84, η and A continue along their tangents, and so the log-likelihood is a straight line. They do so
// also where 1 − θ of a share is below 10⁻⁹, because there the rounding of f would be taken for a slope. Graph
// functions that need θ itself take its last value. Write a link as a formula ([ParseLink]) to have it exact for every
// x.
func TableLink(name string, f func(x float64) float64) (Link, error) {
	l := &tableLink{name: name, f: f}
	var err error
	if l.samples, err = sampled(l); err != nil {
		return nil, err
	}
	l.theta, err = l.samples.table(l, func(theta float64) float64 { return theta })
	return l, err
}

type tableLink struct {
	name    string
	f       func(x float64) float64
	samples *linkSamples
	theta   *table
}

func (l *tableLink) String() string       { return l.name }
func (l *tableLink) LaTeX() string        { return `\operatorname{` + latexText(l.name) + `}(x)` }
func (l *tableLink) At(x float64) float64 { return l.f(x) }

// Fingerprint implements [store.Fingerprinter].
func (l *tableLink) Fingerprint() string { return l.name + " " + l.samples.hash() }

// Inverse implements [Link]. Beyond the table θ has its last value.
func (l *tableLink) Inverse(x *g.Node) *g.Node {
	return l.theta.graphs(g.MinScalar(g.MaxScalar(x, l.theta.low), l.theta.high), 0, 0)[0]
}

// linkSamples are the values of a link at multiples of 0.005 in [−6, 6].
type linkSamples struct {
	theta     []float64
	low, high int // the first and the last number whose distance to the ends of θ's interval is known to 10⁻⁷
}

const perUnit = 200 // samples in an interval of length 1

// sampleAt returns the x of sample i.
func sampleAt(i int) float64 { return float64(i-checkRange*perUnit) / perUnit }

// sampled evaluates a link that is no formula. It refuses a link that is not finite or not strictly monotone.
func sampled(link Link) (s *linkSamples, err error) {
	if l, ok := link.(*tableLink); ok && l.samples != nil {
		return l.samples, nil
	}
	i := 0
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("link %v: it fails at x = %.4g: %v; it must be defined for all x in [-%d, %d]", link,
				sampleAt(i), reason, checkRange, checkRange)
		}
	}()
	s = &linkSamples{theta: make([]float64, 2*checkRange*perUnit+1)}
	s.high = len(s.theta) - 1
	for ; i < len(s.theta); i++ {
		s.theta[i] = link.At(sampleAt(i))
		if v := s.theta[i]; math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("link %v: theta = %v at x = %.4g; it must be finite for all x in [-%d, %d]", link, v,
				sampleAt(i), checkRange, checkRange)
		}
	}
	for i := range s.theta[1:] {
		a, b := s.theta[i], s.theta[i+1]
		if i >= 4*stride && i < len(s.theta)-4*stride { // a function such as x³ is flat at one point
			slope, _ := slopes(s.theta, i, 1./perUnit)
			if secant := (b - s.theta[i-1]) * perUnit / 2; math.Abs(slope) < 1e-6*math.Abs(secant) {
				return nil, fmt.Errorf("link %v: its slope is 0 at x = %.4g; it must be strictly monotone", link,
					sampleAt(i))
			}
		}
		if a == b {
			return nil, fmt.Errorf("link %v: theta = %.6g at x = %.4g and at %.4g; it must be strictly monotone in "+
				"[-%d, %d]: write a link that rounds to the end of an interval as a formula, such as sigmoid(9*x)",
				link, a, sampleAt(i), sampleAt(i+1), checkRange, checkRange)
		}
		if (b > a) != s.rising() {
			return nil, fmt.Errorf("link %v: it rises at x = %.4g and falls at x = %.4g; it must be strictly monotone",
				link, sampleAt(pick(b > a, i, 0)), sampleAt(pick(b > a, 0, i)))
		}
	}
	return s, nil
}

func (s *linkSamples) rising() bool { return s.theta[1] > s.theta[0] }

// hash returns a hash of the values.
func (s *linkSamples) hash() string {
	h := sha256.New()
	binary.Write(h, binary.LittleEndian, s.theta)
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// within returns the samples without those that are so close to an end of the interval that their rounding matters.
func (s linkSamples) within(n Natural) *linkSamples {
	const least = 1e-9 // of the end
	resolved := func(i int) bool {
		near := func(end float64) bool {
			return !math.IsInf(end, 0) && math.Abs(s.theta[i]-end) <= least*math.Abs(end)
		}
		return !near(n.Low) && !near(n.High)
	}
	for s.low < s.high && !resolved(s.low) {
		s.low++
	}
	for s.high > s.low && !resolved(s.high) {
		s.high--
	}
	return &s
}

// table returns the table of x ↦ of(f(x)).
func (s *linkSamples) table(link Link, of func(theta float64) float64) (*table, error) {
	values := make([]float64, s.high+1-s.low)
	for i := range values {
		values[i] = of(s.theta[s.low+i])
	}
	t, at := newTable(sampleAt(s.low), 1./perUnit, values)
	if t == nil {
		return nil, fmt.Errorf("link %v: it jumps or bends near x = %.4g, or is too steep there for a table; make it "+
			"smooth for all x in [-%d, %d], or write it as a formula", link, at, checkRange, checkRange)
	}
	return t, nil
}
