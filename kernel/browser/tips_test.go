package browser

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/ipynb"
	exporter "github.com/expfam/lab/kernel/internal/page"
	"github.com/expfam/lab/viz"
	"github.com/expfam/lab/viz/program"
)

// TestPageTips gives charts data that ECharts would show as HTML, load or follow. Their tips are text.
func TestPageTips(t *testing.T) {
	beside(t)
	p := server{shots: shots(t)}.browse(t)
	const html = `<i class="evil">x</i><meta http-equiv="refresh" content="9;url=https://evil.example/">`
	line := viz.Line{Name: "a " + html, Y: []float64{1, 3, 2}, Points: true}
	point := []any{map[string]any{"name": "point", "value": []int{0, 1}},
		map[string]any{"name": "point " + html, "value": []int{1, 3}}}
	for _, c := range []struct {
		name   string
		change func(option map[string]any)
		want   string // in the tip
	}{
		{"as it is", func(map[string]any) {}, "a " + html},
		{"a formatter", func(o map[string]any) { o["tooltip"].(map[string]any)["formatter"] = html }, "a "},
		{"a formatter of one item", func(o map[string]any) {
			o["tooltip"] = map[string]any{"trigger": "item", "formatter": html}
			each(o, func(s map[string]any) { s["data"] = point })
		}, "point " + html},
		{"a formatter of a series", func(o map[string]any) {
			o["tooltip"] = map[string]any{"trigger": "item"}
			each(o, func(s map[string]any) {
				s["data"], s["tooltip"] = point, map[string]any{"formatter": html, "extraCssText": "position:fixed"}
			})
		}, "point"},
		{"an element to append to", func(o map[string]any) {
			o["tooltip"].(map[string]any)["appendTo"] = "main"
			o["tooltip"].(map[string]any)["extraCssText"] = "position:fixed;inset:0"
		}, "a "},
		{"a style in a colour", func(o map[string]any) {
			each(o, func(s map[string]any) {
				s["color"], s["itemStyle"] = "red;position:fixed;inset:0",
					map[string]any{"color": "red;position:fixed;inset:0"}
			})
		}, "a "},
		{"a view of the data", func(o map[string]any) {
			o["toolbox"].(map[string]any)["feature"].(map[string]any)["dataView"] = map[string]any{"show": true,
				"lang": []string{html, html, html}}
		}, "a "},
		{"other options", func(o map[string]any) {
			o["graphic"] = []any{map[string]any{"type": "image",
				"style": map[string]any{"image": "https://evil.example/x.png", "width": 9, "height": 9}}}
			o["title"].(map[string]any)["link"] = "javascript:" + run
			each(o, func(s map[string]any) { s["symbol"] = "image://https://evil.example/x.png" })
		}, "a "},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := p
			q.t = t
			fragment := must.Get(viz.Lines{Lines: []viz.Line{line}, XLabel: "x"}.Encode(viz.HTML))(t)
			text := program.Blocks(string(fragment), func(name, data string) string {
				var f map[string]any
				must.Do(t, json.Unmarshal([]byte(data), &f))
				for _, panel := range f["panels"].([]any) {
					c.change(panel.(map[string]any)["option"].(map[string]any))
				}
				changed := must.Get(json.Marshal(f))(t)
				return program.Call(program.Chart, string(changed))
			})
			out := &ipynb.Output{Type: ipynb.DisplayData, Metadata: map[string]any{},
				Data: map[string]any{"text/html": text}}
			nb := &ipynb.Notebook{Cells: []*ipynb.Cell{{ID: "a", Type: ipynb.Code, Source: "f()",
				Outputs: []*ipynb.Output{out}}}}
			page := must.Get(exporter.Render(nb, "x",
				exporter.Scripts{Libraries: map[string][]byte{"echarts": echarts(t)}}))(t)
			path := filepath.Join(t.TempDir(), "page.html")
			must.Do(t, os.WriteFile(path, page, 0o600))
			do(q, time.Minute, chromedp.Navigate("file://"+path))
			shown := do(q, time.Minute, chromedp.Evaluate[string](`(async () => {
				const wait = async f => { for (let i = 0; i < 100 && !f(); i++) await new Promise(done => setTimeout(done, 50)); return f(); };
				const root = await wait(() => document.querySelector('[data-live="echarts"]'));
				if (!root) return "no chart";
				const box = root.querySelector("canvas").closest("[_echarts_instance_]"), chart = echarts.getInstanceByDom(box);
				const tip = () => Array.from(box.querySelectorAll("div")).find(e => e.style.pointerEvents === "none" && e.textContent);
				for (const s of chart.getOption().series.keys()) chart.dispatchAction({ type: "showTip", seriesIndex: s, dataIndex: 1 });
				const e = await wait(tip);
				const evil = document.querySelector("i.evil, meta[content^='9'], h4, main > div:not([class])");
				const large = Array.from(box.querySelectorAll("span")).find(e => getComputedStyle(e).position === "fixed");
				return JSON.stringify({ text: e ? e.textContent : "", evil: evil ? evil.outerHTML : large ? large.outerHTML : "" });
			})()`, chromedp.EvalAwaitPromise))
			var got struct{ Text, Evil string }
			err := json.Unmarshal([]byte(shown), &got)
			must.Be(t, err == nil && got.Evil == "" && strings.Contains(got.Text, c.want),
				"the page shows %s, want a tip with %q; %v", shown, c.want, err)
			q.shot("tip")
		})
	}
}

// each calls f for all series of an option.
func each(option map[string]any, f func(series map[string]any)) {
	for _, s := range option["series"].([]any) {
		f(s.(map[string]any))
	}
}
