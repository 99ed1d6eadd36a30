package expfam

import (
	"fmt"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/parallel"
)

// Posterior holds draws of x₀ given y, and how they were made. Its methods summarise θ = g⁻¹(x₀); [Posterior.Latent]
// has the same methods for x₀. At and Dims give the draws of θ, so figures take a Posterior as it is.
//
// The link is applied once, at the first use, so X and Likelihood must not change after that.
type Posterior struct {
	X          *mat.Dense // draws of x₀, (draws, cells)
	Likelihood Likelihood
	Info       Info
	// Stats are diagnostics of every draw under the names that ArviZ uses, such as "energy",
	// "acceptance_rate" and "diverging" of hmc. Nil for most methods.
	Stats map[string][]float64
	// Parameters are the draws of unknown parameters of the prior, the likelihood or the simulator, in their own units.
	// Nil: the model has none. See [Posterior.Parameter].
	Parameters []ParameterDraws

	once  sync.Once
	theta *Draws

	coordinates *coordinates // of its certificate, or nil
}

// Info describes how a posterior was made.
type Info struct {
	Method string // prior, guidance and sampler, or "hmc"
	Engine string // "onnxruntime cpu", "go", "xla cuda"
	Seed   uint64 // of the draws
	First  int    // number of the first draw; see diffusion.Sampler.Share
	Chains int    // number of Markov chains, one after the other and of equal length; 0: independent draws
	// a hash of all that determines the draws of diffusion.Sample except their numbers; [Merge] compares it
	Run         string
	Evaluations int    // evaluations of the score network per draw
	Products    int    // Jacobian products per draw
	Quantity    string `json:",omitempty"` // what is drawn; "" is θ, or x₀ without a likelihood
	// Names are the names of the cells, such as districts, from a [Named] operator. Nil: cells have numbers alone.
	Names []string `json:",omitempty"`
	// Outlines are those of the cells; see [Posterior.Locate]. They come from the prior or the operator, and are not
	// stored.
	Outlines [][][][2]float64 `json:"-"`
	// of the prior's grid; 0 where the prior is a line or its sizes are not known
	Rows, Cols int `json:",omitempty"`
	// Missing is the number of data that were not observed, that is, left out or with an exposure of 0 or 0 trials.
	Missing int `json:",omitempty"`
	// Local compares the local variance of the data with what the draws predict. diffusion.Sample fills it in for
	// priors that are a [Lattice], a grid or a line, and data that look at its cells; see [Posterior.LocalVariance].
	Local *LocalVariance `json:",omitempty"`
	// Network is how right the network of a learned prior is on draws of its simulator; see [learn.Prior.Reported].
	Network string `json:",omitempty"`
	// Outside names data that no draw of the prior explains; see [Forward.Outside]. Nil: there are none.
	Outside *outsideData `json:",omitempty"`
	// Certificate measures how far the draws are from the posterior. It is nil if Uncertified has a reason.
	Certificate *Certificate `json:",omitempty"`
	// Uncertified is the reason why draws of a posterior have no certificate.
	Uncertified string  `json:",omitempty"`
	Seconds     float64 // what a person waited for: plan, compilation, draws of all runs, certificate
	Compile     float64 // of these, seconds spent compiling
	Memory      int64   // estimate of the bytes that sampling took at its peak; see diffusion.Plan
	// Diagnostics by name, such as "rhat", "ess_bulk", "divergences".
	Diagnostics map[string]float64
}

// Latent returns the draws of x₀.
func (p *Posterior) Latent() *Draws { return &Draws{X: p.X} }

// Theta returns the draws of θ = g⁻¹(x₀). Without a likelihood, as for draws of a prior, θ is x₀.
func (p *Posterior) Theta() *Draws {
	p.once.Do(func() {
		link := p.Likelihood.link()
		if link == nil {
			p.theta = p.Latent()
			return
		}
		draws, cells := p.X.Dims()
		theta := mat.NewDense(draws, cells, nil)
		parallel.For(draws, cells, func(i int) {
			row := theta.RawRowView(i)
			for j, x := range p.X.RawRowView(i) {
				row[j] = link.At(x)
			}
		})
		p.theta = &Draws{X: theta}
	})
	return p.theta
}

// Dims returns the numbers of draws and cells.
func (p *Posterior) Dims() (draws, cells int) { return p.X.Dims() }

// At returns θ of a draw in a cell.
func (p *Posterior) At(draw, cell int) float64 { return p.Theta().X.At(draw, cell) }

// Shape returns the numbers of rows and columns of the grid of the cells, which come row after row from the top. Both
// are 0 if there is no grid.
func (p *Posterior) Shape() (rows, cols int) {
	if _, cells := p.Dims(); p.Info.Rows*p.Info.Cols != cells {
		return 0, 0
	}
	return p.Info.Rows, p.Info.Cols
}

// CellNames returns the names of the cells, such as districts, or nil if they have none.
func (p *Posterior) CellNames() []string {
	if _, cells := p.Dims(); len(p.Info.Names) != cells {
		return nil
	}
	return p.Info.Names
}

// Check returns an error that names the first draw and cell in which x₀ or θ is NaN or infinite, or a parameter.
func (p *Posterior) Check() error {
	if p == nil || p.X == nil {
		return errNoDraws
	}
	if err := p.Latent().Check(); err != nil {
		return fmt.Errorf("%w (x₀)", err)
	}
	if err := p.Theta().Check(); err != nil {
		return fmt.Errorf("%w (θ)", err)
	}
	return p.checkParameters()
}

// Mean returns E[θ | y] of every cell.
func (p *Posterior) Mean() []float64 { return p.Theta().Mean() }

// SD returns the standard deviation of θ given y in every cell.
func (p *Posterior) SD() []float64 { return p.Theta().SD() }

// Median returns the median of θ given y in every cell.
func (p *Posterior) Median() []float64 { return p.Theta().Median() }

// Quantile returns the quantile of θ given y in every cell; see [Draws.Quantile].
func (p *Posterior) Quantile(prob float64) []float64 { return p.Theta().Quantile(prob) }

// EqualTailed returns the interval of θ in every cell; see [Draws.EqualTailed].
func (p *Posterior) EqualTailed(level float64) (low, high []float64) {
	return p.Theta().EqualTailed(level)
}

// Coverage returns the share of cells whose equal-tailed interval holds the true θ.
func (p *Posterior) Coverage(theta []float64, level float64) (float64, error) {
	return p.Theta().Coverage(theta, level)
}

// Functional returns f of every draw of θ; f must not keep its argument.
func (p *Posterior) Functional(f func(theta []float64) float64) []float64 {
	return p.Theta().Functional(f)
}

// Seen returns the posteriors of the quantities that the data look at, one posterior for each data set. The cells of
// such a posterior are the data, and its draws are η (log θ for a sum of intensities). The observations follow the
// family given its θ. Use these posteriors for predictive checks, scores and coverage of data that have an operator.
func (p *Posterior) Seen() ([]*Posterior, error) {
	if p == nil || p.X == nil {
		return nil, errNoDraws
	}
	draws, cells := p.Dims()
	f, err := p.Likelihood.Forward(cells)
	if err != nil {
		return nil, err
	}
	out := make([]*Posterior, len(f.Parts))
	for i, s := range f.Parts {
		like := s.Terms.Likelihood
		like.Operator = nil
		out[i] = &Posterior{X: mat.NewDense(draws, s.Rows, nil), Likelihood: like, Info: p.Info,
			Parameters: p.Parameters}
		out[i].Info.Local, out[i].Info.Outside = nil, nil // they belong to other cells
		if s.Operator != nil {
			out[i].Info.Names, out[i].Info.Outlines = rowNames(s.Operator, s.Rows), rowOutlines(s.Operator, s.Rows)
		}
		out[i].Info.Run = derivedRun(p.Info.Run, "seen", i)
		for k := range draws {
			s.Places(p.X.RawRowView(k), out[i].X.RawRowView(k))
		}
	}
	return out, nil
}
