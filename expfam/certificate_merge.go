package expfam

import (
	"math"

	"github.com/expfam/lab/expfam/internal/certify"
)

// mergeCertificates returns the certificate of draws that were certified in shares: means of the shares' numbers by the
// draws of each, compared anew with what exact draws have. It returns nil if a share has no certificate or has one
// under a prior of images, whose error all shares have in common, or if the shares have other modes. A share whose
// draws are all far off has no modes, and counts among the draws that are far off alone.
func mergeCertificates(shares []*Posterior) *Certificate {
	if len(shares) == 1 {
		return shares[0].Info.Certificate
	}
	var all []*Certificate // that have modes
	var out Certificate
	for _, share := range shares {
		c := share.Info.Certificate
		if c == nil || c.OtherSigma > 0 {
			return nil
		}
		if len(c.Shift) > 0 {
			all = append(all, c)
		}
		out.Draws, out.Far, out.Further = out.Draws+c.Draws, out.Far+c.Far, out.Further+c.Further
	}
	if len(all) == 0 {
		return &Certificate{Far: out.Far, Worst: farScore}
	}
	first := all[0]
	for _, c := range all {
		if len(c.Shift) != len(first.Shift) || c.Sigma != first.Sigma {
			return nil
		}
	}
	out.Directions, out.Sigma, out.BiasLocation, out.BiasWidth = first.Directions, first.Sigma, first.BiasLocation,
		first.BiasWidth
	pool := func(of func(c *Certificate) (value, se float64)) (value, se, t float64) {
		for _, c := range all {
			v, s := of(c)
			w := c.Draws / out.Draws
			value, se = value+w*v, math.Hypot(se, w*s)
		}
		return value, se, value / math.Max(se, 1e-12)
	}
	var found deviations
	modes := float64(len(first.Shift))
	for k := range first.Shift {
		shift, shiftSE, t := pool(func(c *Certificate) (v, se float64) { return c.Shift[k], c.ShiftSE[k] })
		off, widthSE, u := pool(func(c *Certificate) (v, se float64) { return c.Width[k] - 1, c.WidthSE[k] })
		out.Shift, out.ShiftSE = append(out.Shift, shift), append(out.ShiftSE, shiftSE)
		out.Width, out.WidthSE = append(out.Width, 1+off), append(out.WidthSE, widthSE)
		found.shifts, found.widths = append(found.shifts, certify.Series{T: t}),
			append(found.widths, certify.Series{T: u})
		out.Location, out.Floor = math.Hypot(out.Location, shift), math.Hypot(out.Floor, shiftSE)
		out.note(k, t, u)
	}
	out.Location, out.Floor = out.Location/math.Sqrt(modes), out.Floor/math.Sqrt(modes)
	out.MeanWidth, out.MeanWidthSE, found.mean.T = pool(func(c *Certificate) (v, se float64) {
		return c.MeanWidth - 1, c.MeanWidthSE
	})
	out.MeanWidth++
	out.P = found.together()
	return &out
}
