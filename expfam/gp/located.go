package gp

// located is a family whose cells are regions with names and outlines.
type located interface {
	CellNames() []string
	Outlines() [][][][2]float64
}

// CellNames returns the names of the cells of the family, such as districts; see [expfam.Posterior.Locate].
func (u Unknown) CellNames() []string {
	if l, ok := u.Of.(located); ok {
		return l.CellNames()
	}
	return nil
}

// Outlines returns the outlines of the cells of the family; see [expfam.Posterior.Locate].
func (u Unknown) Outlines() [][][][2]float64 {
	if l, ok := u.Of.(located); ok {
		return l.Outlines()
	}
	return nil
}
