package expfam

import "fmt"

// Tail returns a warning if the mean and the standard deviation of a parameter are those of few draws in a long tail,
// and whether the data bound it there; "" if there is no such tail.
//
// A tail is heavy if the standard deviation is more than half again as large as that of a normal law with the same 95%
// interval. The data do not bound the parameter above if at least half as many draws as under the prior are beyond the
// 97.5% point of the prior, and not below if as many are beneath its 2.5% point.
func (p ParameterDraws) Tail() string {
	const normal, few = 3.92, 50
	low, high := p.EqualTailed(0.95)
	if len(p.Draws) < few || !(p.SD() > 1.5*(high-low)/normal) {
		return ""
	}
	text := "a heavy tail, so that its mean and sd are those of few draws"
	n := len(p.Prior)
	if n == 0 {
		return text
	}
	from, to := p.Prior[n/40], p.Prior[n-1-n/40]
	above, below := 0.0, 0.0
	for _, v := range p.Draws {
		switch {
		case v > to:
			above += 1 / float64(len(p.Draws))
		case v < from:
			below += 1 / float64(len(p.Draws))
		}
	}
	const half = 0.0125
	for _, side := range []struct {
		name, than string
		share, at  float64
	}{{"above", ">", above, to}, {"below", "<", below, from}} {
		if side.share >= half {
			text += fmt.Sprintf("; the data do not bound it from %s: P(%s %.3g) is %.2g, and .025 under its prior",
				side.name, side.than, side.at, side.share)
		}
	}
	return text
}

// Tails returns [ParameterDraws.Tail] of each parameter, as figures take it.
func (p *Posterior) Tails() []string {
	out := make([]string, len(p.Parameters))
	for i, q := range p.Parameters {
		out[i] = q.Tail()
	}
	return out
}
