package browser

import (
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/viz"
)

// triangle is a region.
type triangle struct {
	name string
	at   [3][2]float64
}

func (a triangle) String() string { return a.name }
func (a triangle) Outline() [][][2]float64 {
	return [][][2]float64{{a.at[0], a.at[1], a.at[2], a.at[0]}}
}

// TestRegionsUnderThePointer: a square of four triangles that meet in its middle. Their boxes overlap, so that only the
// outlines tell which one is under the pointer. The tip has its name and its value, also of what has none.
func TestRegionsUnderThePointer(t *testing.T) {
	beside(t)
	p := server{shots: shots(t)}.browse(t)
	corners, names := [4][2]float64{{0, 0}, {2, 0}, {2, 2}, {0, 2}}, [4]string{"south", "east", "north", "west"}
	var of []triangle
	for k, name := range names {
		of = append(of, triangle{name, [3][2]float64{corners[k], corners[(k+1)%4], {1, 1}}})
	}
	m := viz.Choropleth(of, []float64{1.5, 2.5, math.NaN(), 4.5})
	m.Scale = &viz.Scale{Label: "risk"}
	path := filepath.Join(t.TempDir(), "map.html")
	must.Do(t, viz.Save(m, path))
	do(p, time.Minute, chromedp.Navigate("file://"+path))
	// The square, in the window, from the corners of its regions in the picture.
	square := do(p, time.Minute, chromedp.Evaluate[[4]float64](`(async () => {
		const wait = async f => { for (let i = 0; i < 100 && !f(); i++) await new Promise(done => setTimeout(done, 50)); return f(); };
		const image = await wait(() => document.querySelector("[data-live=maps] img")), at = image.getBoundingClientRect();
		const svg = new DOMParser().parseFromString(atob(image.src.split(",")[1]), "image/svg+xml");
		const [, , w, h] = svg.documentElement.getAttribute("viewBox").split(" ").map(Number), x = [], y = [];
		for (const path of svg.querySelectorAll('g[transform="rotate(0)"] path'))
			for (const p of path.getAttribute("d").match(/[-.0-9]+,[-.0-9]+/g)) {
				x.push(Number(p.split(",")[0])); y.push(Number(p.split(",")[1]));
			}
		const left = at.left + Math.min(...x) / w * at.width, right = at.left + Math.max(...x) / w * at.width;
		const top = at.top + (1 - Math.max(...y) / h) * at.height, bottom = at.top + (1 - Math.min(...y) / h) * at.height;
		return [left, top, right - left, bottom - top];
	})()`, chromedp.EvalAwaitPromise))
	for place, want := range map[[2]float64]string{ // shares of the square, from its upper left corner
		{0.5, 0.9}: "south\nrisk: 1.5", {0.9, 0.5}: "east\nrisk: 2.5", {0.5, 0.1}: "north\nrisk: no value",
		{0.1, 0.5}: "west\nrisk: 4.5", {0.4, 0.55}: "west\nrisk: 4.5", {0.45, 0.6}: "south\nrisk: 1.5",
	} {
		do(p, time.Minute, chromedp.MouseEvent(chromedp.MouseMoved, square[0]+place[0]*square[2],
			square[1]+place[1]*square[3]))
		tip := do(p, time.Minute, chromedp.Evaluate[string](`Array.from(document.querySelectorAll("[data-live] div"))
			.filter(e => e.style.whiteSpace === "pre-wrap" && e.style.display === "block").map(e => e.textContent).join("|")`))
		must.Equal(t, tip, want, place)
	}
	do(p, time.Minute, chromedp.MouseEvent(chromedp.MouseMoved, square[0]+square[2]+60, square[1]))
	p.shot("away")
}
