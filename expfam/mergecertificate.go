package expfam

import "math"

// mergeCertificates returns the certificate of draws that were certified in shares: means of the shares' numbers by the
// precision of each, compared anew with what exact draws have. It returns nil if a share has no certificate, or if the
// shares have other modes.
func mergeCertificates(shares []*Posterior) *Certificate {
	var out Certificate
	for i, share := range shares {
		c := share.Info.Certificate
		if c == nil || i > 0 && (len(c.Shift) != len(out.Shift) || c.Sigma != out.Sigma) {
			return nil
		}
		if i == 0 {
			out = *c
			out.Shift, out.ShiftSE = make([]float64, len(c.Shift)), make([]float64, len(c.Shift))
			out.Width, out.WidthSE = make([]float64, len(c.Shift)), make([]float64, len(c.Shift))
			out.Draws, out.Far = 0, 0
		}
		out.Draws, out.Far = out.Draws+c.Draws, out.Far+c.Far
	}
	if len(shares) == 1 {
		return shares[0].Info.Certificate
	}
	pool := func(of func(c *Certificate) (value, se float64)) (value, se float64) {
		for _, share := range shares {
			v, s := of(share.Info.Certificate)
			w := share.Info.Certificate.Draws / out.Draws
			value, se = value+w*v, math.Hypot(se, w*s)
		}
		return value, se
	}
	var shifts, widths []series
	out.Location, out.Floor, out.Worst = 0, 0, 0
	modes := float64(len(out.Shift))
	for k := range out.Shift {
		out.Shift[k], out.ShiftSE[k] = pool(func(c *Certificate) (v, se float64) { return c.Shift[k], c.ShiftSE[k] })
		out.Width[k], out.WidthSE[k] = pool(func(c *Certificate) (v, se float64) { return c.Width[k], c.WidthSE[k] })
		shift := series{t: out.Shift[k] / out.ShiftSE[k]}
		width := series{t: (out.Width[k] - 1) / out.WidthSE[k]}
		shifts, widths = append(shifts, shift), append(widths, width)
		out.Location, out.Floor = math.Hypot(out.Location, out.Shift[k]), math.Hypot(out.Floor, out.ShiftSE[k])
		if worst := math.Max(math.Abs(shift.t), math.Abs(width.t)); worst > out.Worst {
			out.Worst, out.WorstMode = worst, k
		}
	}
	out.Location, out.Floor = out.Location/math.Sqrt(modes), out.Floor/math.Sqrt(modes)
	out.MeanWidth, out.MeanWidthSE = pool(func(c *Certificate) (v, se float64) { return c.MeanWidth, c.MeanWidthSE })
	out.P = together(shifts, widths, series{t: (out.MeanWidth - 1) / out.MeanWidthSE})
	return &out
}
