package expfam

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/expfam/lab/expfam/internal/certify"
)

// Certificate measures how far draws are from the posterior that they claim to be draws of. It needs the draws and the
// score s(x) = ∇ log p(x | y), no truth and no normalising constant. Stein's identities hold for draws of p(x | y)
// and all vectors a and b:
//
//	E[b·s] = 0,  E[(a·(x − E x)) (b·s)] = −a·b.
//
// The first measures how far off the location of the draws is, the second measures their width. Both are measured in a
// number of directions, the modes, from coarse to fine. The modes are standardised: each has a posterior standard
// deviation of about 1, and the scores in two modes are about uncorrelated; see docs/certificate.md.
//
// A certificate sees no weights of separate modes of a density: draws from one of two separate peaks satisfy both
// identities.
type Certificate struct {
	// Directions names the modes, such as "modes of the prior".
	Directions string
	// Shift is the mean of the draws minus the mean of the posterior in each mode, in posterior standard deviations,
	// and ShiftSE its standard error.
	Shift, ShiftSE []float64
	// Width is the standard deviation of the draws over the standard deviation of the posterior in each mode, and
	// WidthSE its standard error.
	Width, WidthSE []float64
	// Draws is the number of draws, or of independent draws to which the draws of chains are equivalent on average
	// over the modes. Further of them are not draws of the posterior: they were made to decide; see [Certificate.Open].
	Draws   float64
	Further int `json:",omitempty"`
	// Location is the root mean square of Shift, and Floor what exact draws of this number have on average.
	Location, Floor float64
	// MeanWidth is the average of Width over the modes with its standard error.
	MeanWidth, MeanWidthSE float64
	// Worst is the largest |t| of a shift or a width over all modes, and WorstMode its mode, from 0 on.
	Worst     float64
	WorstMode int
	// P is the probability that exact draws deviate as much: of six tests, of the shift of the coarsest mode, the
	// largest shift, the sum of all squared shifts, the mean width, the largest deviation of a width and the sum of all
	// their squares, at shares of the level.
	P float64
	// Texture is Width of the finest modes of images together, which say how rough draws are, and TextureSE its
	// standard error, or 0 if they were not looked at.
	Texture, TextureSE float64 `json:",omitempty"`
	// Far is the number of draws that lie where the posterior has practically no mass.
	Far int
	// Sigma is the noise level, in units of x₀, at which the score of a learned prior was evaluated, or 0 if the score
	// is exact. Then BiasLocation and BiasWidth have what the error of the network itself would make of Location and of
	// MeanWidth − 1. It is measured with draws of the prior and no data, and subtracted from the scores.
	Sigma, BiasLocation, BiasWidth float64 `json:",omitempty"`
	// OtherSigma is a second noise level under priors of images, or 0. Then BiasLocation and BiasWidth are by how much
	// the certificates at both levels differ beyond the noise, and all standard errors and P take them into account.
	OtherSigma float64 `json:",omitempty"`
}

const (
	// falseAlarm is the probability with which exact draws are called wrong by a [Certificate], and doubtAlarm the
	// probability with which they are called wrong or doubtful.
	falseAlarm = 0.01
	doubtAlarm = 0.05
	// openAlarm is the probability of exact draws below which more draws would tell. A shift by .2 posterior standard
	// deviations in a mode that is not known mostly has a probability below openAlarm with 500 draws, and often not one
	// below falseAlarm. Below sureAlarm no further draws are needed, and of enoughDraws draws neither.
	openAlarm, sureAlarm, enoughDraws = 0.15, 1e-4, 1500
	// smallTexture is a deviation of the texture of images that is too small to doubt draws.
	smallTexture = 0.1
	// blindShift and blindWidth are the errors of a network of images, in location and in width, from which its
	// certificate is no evidence for or against the draws.
	blindShift, blindWidth = 0.25, 0.1
)

// Verdict is "agrees", "doubtful" or "wrong". Draws are wrong if exact draws deviate as much with a probability below
// .01 and the deviation is not small: more than .1 posterior standard deviations in location or 5% in width.
// They are doubtful if it is small, if the probability is below .05, or if exact draws would be .3 posterior standard
// deviations off in location, or the network's own error makes the standard errors as large, so that the certificate
// sees too little. Under a prior of images they are doubtful if the network's own error exceeds .25 posterior standard
// deviations in location or 10% in width, or if the texture is 10% and three standard errors off. A nil certificate has
// the verdict "".
func (c *Certificate) Verdict() string {
	switch {
	case c == nil:
		return ""
	case c.Far > 0:
		return "wrong"
	case c.unsure():
		return "doubtful"
	case !(c.P >= falseAlarm) && !c.small():
		return "wrong"
	case c.P < doubtAlarm, c.seesLittle(), c.rough():
		return "doubtful"
	}
	return "agrees"
}

// Open reports whether further draws of the same sampler would decide: exact draws deviate as much with a probability
// below .15, or below .05 if further draws were made already; this probability is not below .0001, or the deviation is
// small; and there are fewer than 1500 draws. The certificate of twice as many is then the next one. Exact draws are
// called wrong at the stated rate at most by the last look. The looks before it only call draws right, but for the
// ten-thousandth that needs no further look.
func (c *Certificate) Open() bool {
	if c == nil || c.Far > 0 || c.OtherSigma > 0 || c.Draws >= enoughDraws {
		return false
	}
	alarm := openAlarm
	if c.Further > 0 {
		alarm = doubtAlarm
	}
	return c.P < alarm && (c.P >= sureAlarm || c.small())
}

// seesLittle reports whether the standard errors are so large that draws far from the posterior pass.
func (c *Certificate) seesLittle() bool {
	return c.Floor > certify.Blind ||
		c.OtherSigma == 0 && floats.Norm(c.ShiftSE, 2) > certify.Blind*math.Sqrt(float64(len(c.ShiftSE)))
}

// unsure reports whether the error of a network of images is so large that nothing follows.
func (c *Certificate) unsure() bool {
	return c.OtherSigma > 0 && !(c.BiasLocation <= blindShift && math.Abs(c.BiasWidth) <= blindWidth)
}

// rough reports whether the texture is another than the posterior's.
func (c *Certificate) rough() bool {
	return c.TextureSE > 0 && math.Abs(c.Texture-1) > smallTexture+3*c.TextureSE
}

// small reports whether no deviation is more than small.
func (c *Certificate) small() bool {
	shift, width := certify.SmallShift, certify.SmallWidth
	if c.OtherSigma > 0 { // the error is not subtracted
		shift, width = shift+c.BiasLocation, width+math.Abs(c.BiasWidth)
	}
	if math.IsNaN(c.P) || math.Abs(c.MeanWidth-1) > width ||
		math.Sqrt(max(0, c.Location*c.Location-c.Floor*c.Floor)) > shift {
		return false
	}
	for k := range min(len(c.Shift), len(c.ShiftSE), len(c.Width), len(c.WidthSE)) {
		if off := math.Abs(c.Shift[k]); off > max(shift, 3*c.ShiftSE[k]) {
			return false
		}
		if off := math.Abs(c.Width[k] - 1); off > max(width, 3*c.WidthSE[k]) {
			return false
		}
	}
	return true
}

// String returns what the certificate finds, such as "agrees with the posterior: location within .04 sd,
// width 1.01 ± .02, worst mode t 2.1 of 64".
func (c *Certificate) String() string {
	if c == nil {
		return "no certificate"
	}
	text := map[string]string{"agrees": "agrees with the posterior", "doubtful": "is doubtful",
		"wrong": "finds another posterior"}[c.Verdict()]
	switch {
	case c.Far > 0:
		text += fmt.Sprintf(" (%d draws far off)", c.Far)
	case c.unsure():
		text += ", for the error of the network is large"
	case c.seesLittle() && c.Verdict() != "wrong":
		text += ", for it sees little"
	case c.rough() && c.Verdict() == "doubtful":
		text += ", for the texture is another"
	}
	text += fmt.Sprintf(": location within %s sd (exact draws: %s), width %s ± %s, worst mode t %.1f of %d",
		decimals(c.Location), decimals(c.Floor), decimals(c.MeanWidth), decimals(c.MeanWidthSE), c.Worst, len(c.Shift))
	if c.TextureSE > 0 {
		text += fmt.Sprintf(", texture %s ± %s", decimals(c.Texture), decimals(c.TextureSE))
	}
	if c.Further > 0 {
		text += fmt.Sprintf(", with %d further draws to decide", c.Further)
	}
	if c.Sigma > 0 {
		text += fmt.Sprintf("; the network's own error: %s sd and %+.2f", decimals(c.BiasLocation), c.BiasWidth)
	}
	if c.Sigma > 0 && c.OtherSigma == 0 {
		text += ", subtracted"
	}
	return text
}

// decimals writes a number with two decimals and no zero before the point.
func decimals(v float64) string { return strings.TrimPrefix(fmt.Sprintf("%.2f", v), "0") }

// SetCertificate notes the certificate of the draws in Info, or the reason why there is none, which is err.
func (p *Posterior) SetCertificate(c *Certificate, err error) {
	p.Info.Certificate, p.Info.Uncertified = c, ""
	if err != nil {
		p.Info.Uncertified = strings.TrimPrefix(err.Error(), "certify: ")
	}
}

// alarm returns a sentence about draws that are not the posterior, and what to do, or "". The method of the draws says
// what was done already.
func (c *Certificate) alarm(method string) string {
	if c.Verdict() != "wrong" {
		return ""
	}
	next := "sample with hmc.Sample, or by the default Method of diffusion.Sample"
	switch {
	case strings.HasPrefix(method, "hmc"):
		next = "give hmc more Warmup and Draws, and look at R-hat"
	case strings.Contains(method, "HMC"):
		next = "let each draw take more transitions, by Moves of diffusion.Sampler, and compare with hmc.Sample"
	case strings.Contains(method, "joint with"):
		next = "compare with hmc.Joint"
	case method == "gmrf": // at sizes at which there is no time for transitions
		next = "make fewer draws, each of which then takes transitions, or take a coarser grid"
	}
	if c.Far > 0 {
		return fmt.Sprintf("%d draws lie where the posterior has practically no mass, by their scores: %s.", c.Far,
			next)
	}
	if c.Sigma > 0 { // there is no hmc
		next = "sample by the default Method of diffusion.Sample, by one with more steps, such as diffusion.Restarts" +
			"{First: 20, Each: 20, Last: 12}, or under an exact prior"
	}
	return fmt.Sprintf("These draws are not the posterior (location %s sd off, width %s times the posterior's; exact "+
		"draws deviate as much with probability %.2g): %s.", decimals(c.Location), decimals(c.MeanWidth), c.P, next)
}

// Shifts returns Shift and ShiftSE; see viz.Certificate.
func (c *Certificate) Shifts() (values, errors []float64) { return c.Shift, c.ShiftSE }

// Widths returns Width and WidthSE.
func (c *Certificate) Widths() (values, errors []float64) { return c.Width, c.WidthSE }

// note notes the t of the shift and of the width of mode k, if one of them is the largest so far.
func (c *Certificate) note(k int, shift, width float64) {
	if worst := math.Max(math.Abs(shift), math.Abs(width)); worst > c.Worst {
		c.Worst, c.WorstMode = worst, k
	}
}
