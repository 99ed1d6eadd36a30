package expfam

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/latent"
	"github.com/expfam/lab/expfam/law"
)

// Parametric is a Gaussian prior with unknown parameters, such as gp.Unknown. diffusion.Sample and hmc.Sample draw the
// field and the parameters jointly, and [Posterior.Parameter] has the draws of a parameter. The moments of a Parametric
// prior are those of the field with the parameters integrated out.
type Parametric interface {
	Prior
	// Parameters returns the unknown parameters with their laws.
	Parameters() []law.Parameter
	// Normal returns the mean and the covariance of x₀ given the values of the parameters, in their own units and in
	// the order of Parameters. Many goroutines may call it at once. The caller may change the results.
	Normal(values []float64) (mean []float64, cov *mat.SymDense, err error)
}

// gaussianPrior is a Gaussian prior whose mean and covariance are known.
type gaussianPrior interface {
	Mean() []float64
	Cov() *mat.SymDense
}

// parametricProduct is a [Product] of Gaussian priors, of which at least one is [Parametric].
type parametricProduct struct{ drawnProduct }

// Parameters returns the parameters of all parts.
func (p parametricProduct) Parameters() (all []law.Parameter) {
	for _, part := range p.productPrior {
		if u, ok := part.(Parametric); ok {
			all = append(all, u.Parameters()...)
		}
	}
	return all
}

// Check refuses parts that are neither Parametric nor Gaussian, and parameters of the same name.
func (p parametricProduct) Check() error {
	if err := p.productPrior.Check(); err != nil {
		return err
	}
	for i, part := range p.productPrior {
		_, unknown := part.(Parametric)
		if _, ok := part.(gaussianPrior); !ok && !unknown {
			return fmt.Errorf("product: part %d, %v, stands beside a prior with unknown parameters and is not "+
				"Gaussian; take priors of package gp", i, part)
		}
		if _, ok := part.(Simulator); !ok {
			return fmt.Errorf("product: part %d, %v, has no Draw; take priors of package gp", i, part)
		}
	}
	if err := law.CheckAll(p.Parameters()); err != nil {
		return fmt.Errorf("product: %w", err)
	}
	return nil
}

// Normal returns the means of the parts one after the other, and a covariance with a block for each part.
func (p parametricProduct) Normal(values []float64) (mean []float64, cov *mat.SymDense, err error) {
	d := p.Dim()
	mean, cov = make([]float64, 0, d), mat.NewSymDense(d, nil)
	for _, part := range p.productPrior {
		var own *mat.SymDense
		var m []float64
		switch part := part.(type) {
		case Parametric:
			n := len(part.Parameters())
			if len(values) < n {
				return nil, nil, errors.New("product: too few values of parameters")
			}
			if m, own, err = part.Normal(values[:n]); err != nil {
				return nil, nil, err
			}
			values = values[n:]
		case gaussianPrior:
			m, own = part.Mean(), part.Cov()
		}
		first := len(mean)
		for i := range m {
			for j := i; j < len(m); j++ {
				cov.SetSym(first+i, first+j, own.At(i, j))
			}
		}
		mean = append(mean, m...)
	}
	return mean, cov, nil
}

// Sparse returns the parts one after the other by a sparse precision, or an error if a part has none. Gaussian parts of
// few cells have one, if their covariance has an inverse.
func (p parametricProduct) Sparse() (*latent.Field, error) {
	var fields []*latent.Field
	var numbers []int
	for _, part := range p.productPrior {
		count := 0
		if u, ok := part.(Parametric); ok {
			count = len(u.Parameters())
		}
		f, err := sparseOf(part)
		if err != nil {
			return nil, err
		}
		fields, numbers = append(fields, f), append(numbers, count)
	}
	return latent.Beside(fields, numbers), nil
}

// mostDense is the largest number of cells of a Gaussian part of a sparse field.
const mostDense = 64

// sparseOf returns a prior by a sparse precision.
func sparseOf(part Prior) (*latent.Field, error) {
	if s, ok := part.(interface {
		Sparse() (*latent.Field, error)
	}); ok {
		return s.Sparse()
	}
	if g, ok := part.(gaussianPrior); ok && part.Dim() <= mostDense {
		return latent.Dense(g.Mean(), g.Cov())
	}
	return nil, fmt.Errorf("product: %v has no sparse precision", part)
}
