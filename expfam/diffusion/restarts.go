package diffusion

import (
	"cmp"
	"fmt"
	"math"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/level"
)

// Restarts descends to a low noise level, returns several times to a higher one, and then ends (Xu et al. 2023). A
// guidance is least accurate at high noise, and each return forgets part of that error. Returns mix smooth modes about
// ten times faster than Langevin steps do. The zero value takes 30 evaluations of the networks. [Sampler] says where it
// is the default, and [ImageRestarts] has the numbers for images. The default numbers were chosen to keep the variance
// of a Gaussian within 6% at every scale, and 95% intervals at nominal width on the one-dimensional benchmark.
//
// Without data this method smooths draws of a learned prior of images: the draws have a third of the power of the
// finest texture, because the steps are too long for such a prior. ODE{N: 50} keeps four fifths of that power, and more
// of its steps keep no more. For posteriors of Cox processes on images, restarts are better than ODE.
type Restarts struct {
	First int // number of steps from the first noise level down to Low. Default 10
	Count int // number of returns. Default 2
	Each  int // number of steps down from each return. Default 6
	Last  int // number of steps from Low to the end of the diffusion. Default 7
	// Low is the noise level, in units of x₀, from which to return. Default 0.05.
	Low float64
	// High is the noise level of the first return and Final the noise level of the last. The
	// returns between them have levels of equal ratios. Default High is 0.4, and Final equals High.
	High, Final float64
	// Spread is a share of the standard deviation of each cell given x_t and the cell's own datum. Every step down adds
	// this share as independent noise, as if it had drawn x₀ instead of taking the mean; see [Step]. Default none. Long
	// steps take away texture, and Spread returns some of it.
	Spread float64
	// Light is the highest noise level, in units of x₀, at which [Quadrature] takes one step of conjugate gradients in
	// place of its default. At low noise cells are nearly independent given x_t. Default none.
	Light float64
	// Skew is the noise level, in units of x₀, at which the third cumulants of x₀ | x_t enter the
	// shift with weight one half. At level σ the weight is 1/(1 + (σ/Skew)²); see [Step]. Steps
	// in which the weight is below a tenth leave the third cumulants out, and so do steps up to the level Light.
	// Default none; [Sampler] says where third cumulants are the default.
	Skew float64
	VP   level.VP

	// brief is the number of returns that only impute values (imputation.go), from which at most briefEach steps go
	// down. They come first, and Count includes them.
	brief int
}

// startLevel is the noise level, in units of x₀, at which draws of N(0, 1) enter the diffusion. A prior of unit scale
// adds 0.06% to the variance of such noise. Higher levels bring no further information. There the covariance (v/√α)
// dm/dx_t of a learned prior is useless, because the error of its Jacobian is multiplied by σ.
const startLevel = 40

// briefEach is the number of steps of a return that imputes values. With four steps draws diverge.
const briefEach = 9

func (r Restarts) orDefault() Restarts {
	r.First = cmp.Or(r.First, 10)
	r.Count = cmp.Or(r.Count, 2)
	r.Each = cmp.Or(r.Each, 6)
	r.Last = cmp.Or(r.Last, 7)
	r.Low = cmp.Or(r.Low, 0.05)
	r.High = cmp.Or(r.High, 0.4)
	r.Final = cmp.Or(r.Final, r.High)
	r.VP = r.VP.Defaults()
	return r
}

// Steps returns the trajectory. It evaluates the networks First + Count·Each + Last + 1 times.
func (r Restarts) Steps() []Step {
	r = r.orDefault()
	p := path{spread: r.Spread, light: r.Light, skew: r.Skew}
	p.descend(level.Between(r.start(), r.Low, r.First))
	highs := []float64{r.High}
	if r.Count > 1 {
		highs = level.Between(r.High, r.Final, r.Count-1)
	}
	for i, high := range highs {
		p.ascend(high)
		each := r.Each
		if i < r.brief {
			each = min(each, briefEach)
		}
		p.descend(level.Between(high, r.Low, each))
	}
	p.h = 0 // the last descent is separate: it does not use the estimate D' of the descent before it
	p.descend(level.Between(r.Low, r.end(), r.Last))
	p.finish()
	return p.steps
}

// Check implements [expfam.Checker].
func (r Restarts) Check() error {
	r = r.orDefault()
	if err := r.VP.Check(); err != nil {
		return err
	}
	if !(r.Spread >= 0 && r.Spread <= 1) {
		return fmt.Errorf("sample: %v: Spread is %g; give a number from 0 to 1, the whole standard deviation", r,
			r.Spread)
	}
	if !(r.Light >= 0 && r.Light <= math.MaxFloat32) {
		return fmt.Errorf("sample: %v: Light must be a noise level, or 0 for no light steps", r)
	}
	if !(r.Skew >= 0 && r.Skew <= math.MaxFloat32) {
		return fmt.Errorf("sample: %v: Skew must be a noise level, or 0 for no third cumulants", r)
	}
	start, end := r.start(), r.end()
	if min(r.First, r.Count, r.Each, r.Last) < 1 {
		return fmt.Errorf("sample: %v: First, Count, Each and Last must be at least 1; without returns use Multistep",
			r)
	}
	if !(end < r.Low && r.Low < min(r.High, r.Final) && max(r.High, r.Final) < start) {
		return fmt.Errorf("sample: %v: Low must be above the end of the diffusion, %.3g, High and Final between "+
			"Low and the first level, %.3g", r, end, start)
	}
	return nil
}

// surprising is the [Demand.Misfit] above which returns go down to low noise levels.
const surprising = 4

// Refine returns the method with a diffusion that ends at the noise level that the data require, and with more returns
// where cells have no data beside unknown parameters. Where the data contradict the prior, a guidance that treats one
// cell at a time is wrong until the noise is low. At least four returns to falling noise levels then forget that error.
func (r Restarts) Refine(d Demand) Method {
	r = r.orDefault()
	if d.Misfit > surprising {
		low := min(r.Low, 0.01)
		if low <= min(r.end(), d.End) { // the diffusion has to end below the returns
			r.Last, r.VP = extend(r.Last, r.Low, r.VP, low/2)
		}
		r.Last = int(math.Ceil(float64(r.Last) * math.Log(low/r.end()) / math.Log(r.Low/r.end())))
		r.Low, r.Final, r.Count = low, min(r.Final, 0.05), max(r.Count, 4)
		r.Light = min(r.Light, low) // cells that contradict the prior pull at each other
	}
	if d.Gaps > 0 {
		r.brief = min(mostImputed, int(math.Ceil(2*mostImputed*d.Gaps)))
		r.Count += r.brief
	}
	r.Last, r.VP = extend(r.Last, r.Low, r.VP, d.End)
	return r
}

// start returns the first noise level: startLevel, or the top of the diffusion if that is lower.
func (r Restarts) start() float64 { return min(startLevel, r.VP.Level(1).Sigma()) }

// end returns the last noise level of the diffusion, in units of x₀.
func (r Restarts) end() float64 { return r.VP.Level(r.VP.Epsilon).Sigma() }

func (r Restarts) String() string {
	r = r.orDefault()
	more := ""
	if r.Spread > 0 {
		more = fmt.Sprintf(", spread=%g", r.Spread)
	}
	if r.Light != 0 {
		more += fmt.Sprintf(", light=%g", r.Light)
	}
	if r.brief > 0 {
		more += fmt.Sprintf(", brief=%d", r.brief)
	}
	if r.Skew != 0 {
		more += fmt.Sprintf(", skew=%g", r.Skew)
	}
	return fmt.Sprintf("restarts(%d+%d×%d+%d, start=%g, low=%g, high=%g…%g%s, %v)",
		r.First, r.Count, r.Each, r.Last, r.start(), r.Low, r.High, r.Final, more, r.VP)
}

// ImageRestarts returns the default method for priors of images: [Restarts] with 17 evaluations of the network in place
// of 30. The six evaluations at noise levels up to 0.2 take one Jacobian product each, the others three: 39 in all.
//
// Three long steps go down to a noise level of 0.1. The first return is to a noise level of 1.3, above the
// contrast of most images. From there on one of the three products computes the third cumulants of
// x₀ | x_t, by which counts say how rough a surface is. Without third cumulants, draws of a network that does
// not adapt to the image at hand (nn.UNet.Adaptive) lack up to half of the texture of rough surfaces. Behind
// operators that join cells, third cumulants are left out; see [Step].
//
// Whether a surface is rough or smooth is decided between the level of a return and Low, so the five steps
// of a return are worth more than steps from the top of the diffusion. Under a prior of 200 cells that are all rough
// or all smooth, 0.92 of the draws are rough where the data are, and 0.03 where they are not.
//
// Long steps that move with the mean take away 3 to 7% of the variance of independent Gaussian cells. Noise of 0.6 of
// the standard deviation of x₀ | x_t adds 15 to 22%. Such cells have a variance that is up to 15% too large, and in
// turn images have their texture. Surfaces stay smooth, because the standard deviation of x₀ | x_t is small there. The
// table of samplers in benchmarks/README.md has scores, texture and seconds of this and other choices of the numbers.
func ImageRestarts() Restarts {
	var vp level.VP
	vp.Epsilon = vp.Time(0.03)
	return Restarts{First: 3, Count: 2, Each: 5, Last: 3, Low: 0.1, High: 1.3, Final: 0.6, Spread: 0.6, Skew: 1,
		Light: 0.2, VP: vp}
}

// pyramidRestarts returns the default method for images on grids that are larger than those of the training ([Graded])
// and data of single cells. Such images are smoother from cell to cell than those of the training, and what the first
// long steps add to them is contrast of several cells, which returns to noise levels around 1 do not forget. One return
// goes to a level of 2.5, and ten steps go down from there; so the evaluations are as many as those of [ImageRestarts].
// Of independent Gaussian cells of variance 0.1 to 3 these steps keep all but a twentieth, where two returns lose up to
// a fifth, so less noise is to be added: the variance is 3 to 8% too large. With more noise intervals are too wide, and
// with less the draws of few counts have less texture.
func pyramidRestarts() Restarts {
	r := ImageRestarts()
	r.Count, r.Each, r.High, r.Final = 1, 10, 2.5, 2.5
	r.Spread = 0.4
	return r
}

// isImage reports whether a prior is a field in two dimensions; see [expfam.Lattice].
func isImage(prior expfam.Prior) bool {
	l, ok := prior.(expfam.Lattice)
	if !ok {
		return false
	}
	rows, cols := l.Lattice()
	return rows > 1 && cols > 1
}

// OperatorRestarts returns the default method for priors of images and data that look through an
// operator which joins cells, such as a blur, rays or areas. Three long steps make a coarse image. One
// return goes to a noise level of 5, above the contrast of most images everywhere, and fourteen shorter
// steps go down from there. The method takes 21 evaluations of the network.
//
// Such data say little of each cell, so the prior has to make what they leave open, and no datum of a cell mends it at
// low noise. Long steps from high noise make images too rough behind rays, and too smooth behind sums by area. A
// network that adapts to the texture of the image at hand (nn.UNet.Adaptive) keeps the texture that it finds. Two
// returns with six steps each take as many evaluations and are less accurate. The section on operators in
// benchmarks/README.md has the figures, also of the noise of [Restarts.Spread].
func OperatorRestarts() Restarts {
	r := ImageRestarts()
	r.First, r.Count, r.Each, r.High, r.Final = 3, 1, 14, 5, 5
	r.Skew = 0
	return r
}
