package command

import (
	"path/filepath"
	"testing"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/ipynb"
	"github.com/expfam/lab/kernel/internal/kerneltest"
)

// testAfternoon looks at a table, a raster, districts and a survey as somebody does who types the names of their own
// files.
// TestAfternoon of package browser looks at the page in both themes.
func testAfternoon(t *testing.T, g gonb) {
	var sources []string
	for _, look := range kerneltest.Afternoon {
		sources = append(sources, look.Source)
	}
	path := g.notebook(t, "afternoon", sources...)
	must.Do(t, kerneltest.AfternoonFiles(filepath.Dir(path)))
	out, err := g.kernel("run", path).CombinedOutput()
	must.Need(t, err == nil, "%v\n%s", err, out)
	nb := must.Get(ipynb.Read(path))(t)
	for i, look := range kerneltest.Afternoon {
		text, html, picture := "", "", false
		for _, out := range nb.Cells[i].Outputs {
			text, html = text+out.Text+out.Content("text/plain"), html+out.Content("text/html")
			picture = picture || out.Content("image/png") != "" || out.Content("image/svg+xml") != ""
		}
		must.Do(t, look.Compare(text, html), look.Name)
		must.Equal(t, picture, look.Parts != nil, look.Name, "a picture for readers without HTML")
	}
}
