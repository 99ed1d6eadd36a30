package wasm

import (
	"fmt"
	"strings"

	"github.com/expfam/lab/kernel/internal/cell"
	"github.com/expfam/lab/kernel/internal/ipynb"
)

// StillTag marks a live cell whose panel shows settings drawn beforehand in pages, because its program is too heavy for
// a browser.
const StillTag = "still"

// Cell is a live cell: its id and the Go program that the kernel would run for it.
type Cell struct{ ID, Source string }

// Panels returns how many panels of package viz/live the outputs of a cell hold.
func Panels(c *ipynb.Cell) (n int) {
	for _, out := range c.Outputs {
		n += strings.Count(out.Content("text/html"), `class="expfam-live `)
	}
	return n
}

// Cells returns the live cells of a notebook that are not tagged [StillTag]. A cell is live if its outputs hold a panel
// of package viz/live, which says where in the page it is.
func Cells(nb *ipynb.Notebook, packages cell.Packages) ([]Cell, error) {
	var live []Cell
	s := &cell.Session{Packages: packages}
	for i, c := range nb.Cells {
		if c.Type != ipynb.Code {
			continue
		}
		program, err := s.Translate(cell.Cell{ID: c.ID, Number: i + 1, Source: c.Source})
		isLive := Panels(c) > 0 && !c.HasTag(StillTag)
		if err != nil && isLive {
			return nil, fmt.Errorf("wasm: %w", err)
		}
		if err != nil {
			continue // a page lacks what the cell defines; live cells that need it say so
		}
		s.Commit(program)
		if isLive && program.Source != "" {
			live = append(live, Cell{c.ID, program.Source})
		}
	}
	return live, nil
}
