package microscope

import "math"

// Mixture is a [Law]: a weighted sum of normal densities on the line. The weights need not have the sum 1.
type Mixture []Component

// Component is one part of a [Mixture].
type Component struct{ Weight, Mean, SD float64 }

// total returns the sum of weight·f over the components.
func (m Mixture) total(f func(c Component) float64) (sum float64) {
	for _, c := range m {
		sum += c.Weight * f(c)
	}
	return sum
}

func (m Mixture) mean(f func(c Component) float64) float64 {
	return m.total(f) / m.total(func(Component) float64 { return 1 })
}

// LogProb returns the log density. It is computed around its largest term, so it never underflows.
func (m Mixture) LogProb(x float64) float64 {
	least, weight := math.Inf(1), 0.0
	for _, c := range m {
		z := (x - c.Mean) / c.SD
		least, weight = math.Min(least, z*z), weight+c.Weight
	}
	var sum float64
	for _, c := range m {
		z := (x - c.Mean) / c.SD
		sum += c.Weight / c.SD * math.Exp((least-z*z)/2)
	}
	return math.Log(sum/weight) - least/2 - math.Log(2*math.Pi)/2
}

// Mean returns E x.
func (m Mixture) Mean() float64 { return m.mean(func(c Component) float64 { return c.Mean }) }

// StdDev returns the standard deviation.
func (m Mixture) StdDev() float64 {
	mean := m.Mean()
	return math.Sqrt(m.mean(func(c Component) float64 { return c.SD*c.SD + (c.Mean-mean)*(c.Mean-mean) }))
}
