package gp

import "github.com/expfam/lab/expfam"

// CellNames returns the names of the cells of the family, such as districts; see [expfam.Located].
func (u Unknown) CellNames() []string {
	if l, ok := u.Of.(expfam.Located); ok {
		return l.CellNames()
	}
	return nil
}

// Outlines returns the outlines of the cells of the family; see [expfam.Located].
func (u Unknown) Outlines() [][][][2]float64 {
	if l, ok := u.Of.(expfam.Located); ok {
		return l.Outlines()
	}
	return nil
}
