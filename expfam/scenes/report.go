package scenes

import (
	"fmt"
	"slices"
	"strings"
)

// Report says which files could not be used so far.
type Report struct {
	Files   int
	Skipped []Skip // in lexical order
}

// Skip is a file that was skipped.
type Skip struct {
	Path   string // relative to the folder
	Reason string
}

// String names the first ten files that were skipped.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d files skipped", len(r.Skipped), r.Files)
	for i, s := range r.Skipped {
		if i == 10 {
			fmt.Fprintf(&b, "; and %d more", len(r.Skipped)-i)
			break
		}
		fmt.Fprintf(&b, "; %s: %s", s.Path, s.Reason)
	}
	return b.String()
}

// Report lists the files that were skipped so far.
func (m *Images) Report() Report {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := Report{Files: len(m.files)}
	for i, reason := range m.skipped {
		r.Skipped = append(r.Skipped, Skip{m.files[i], reason})
	}
	slices.SortFunc(r.Skipped, func(a, b Skip) int { return strings.Compare(a.Path, b.Path) })
	return r
}
