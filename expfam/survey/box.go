package survey

import (
	"fmt"
	"math"

	"github.com/expfam/lab/expfam/land"
)

// Box returns a window for a map of the survey. The window contains all sites, with a margin
// of a tenth of their extent, or of a tenth of a degree if that is more. It is an error if no
// row could be used.
func (s *Survey) Box() (land.Box, error) {
	if len(s.Sites) == 0 {
		return land.Box{}, fmt.Errorf("survey: %s: none of its %d rows can be used; its report says why",
			s.Report.Source, s.Report.Rows)
	}
	b := land.Box{West: math.Inf(1), South: math.Inf(1), East: math.Inf(-1), North: math.Inf(-1)}
	for _, site := range s.Sites {
		b.West, b.East = min(b.West, site.Lon), max(b.East, site.Lon)
		b.South, b.North = min(b.South, site.Lat), max(b.North, site.Lat)
	}
	across, down := max(0.1, (b.East-b.West)/10), max(0.1, (b.North-b.South)/10)
	return land.Box{West: max(-180, b.West-across), South: max(-90, b.South-down), East: min(180, b.East+across),
		North: min(90, b.North+down)}, nil
}
