package operator

// Outlines returns the outlines of the regions, in degrees or in the coordinates of the grid, so that a posterior of
// them is shown as a map; see [expfam.Posterior.Locate].
func (o *Polygons) Outlines() [][][][2]float64 {
	out := make([][][][2]float64, len(o.Regions))
	for k, r := range o.Regions {
		out[k] = r.Outline()
	}
	return out
}
