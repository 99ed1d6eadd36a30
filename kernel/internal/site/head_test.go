package site

import (
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/ipynb"
)

// The picture at the head of a lesson becomes the figure of its card, between the texts above and below it.
func TestHeaded(t *testing.T) {
	nb := &ipynb.Notebook{Metadata: map[string]any{"expfam": map[string]any{"picture": "b"}}, Cells: []*ipynb.Cell{
		{ID: "a", Type: ipynb.Markdown, Source: "# Title\n\nWhy?\n\n![A map.](attachment:first.png)\n\nBecause."},
		{ID: "b", Type: ipynb.Code, Source: "figure()"}}}
	got := headed(nb).Cells
	must.Need(t, len(got) == 4, "%d cells", len(got))
	must.Be(t, strings.HasSuffix(got[0].Source, "Why?\n\n") && got[1].Source == "figure()" && got[1].ID != "b" &&
		got[2].Source == "\n\nBecause." && got[3].ID == "b", "%q %q %q", got[0].Source, got[1].Source, got[2].Source)
	must.Be(t, len(nb.Cells) == 2 && strings.Contains(nb.Cells[0].Source, "attachment"), "the notebook has changed")
	nb.Metadata = nil
	must.Be(t, headed(nb) == nb, "a notebook without a card has a figure at its head")
}
