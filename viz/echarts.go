package viz

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/go-echarts/go-echarts/v2/opts"
	"gonum.org/v1/plot"
)

// series is a series of ECharts with the options that the marks set. The struct of go-echarts' package charts would
// bring its templates of pages into every cell, which the linker has to read.
type series struct {
	Name       string          `json:"name,omitempty"`
	Type       string          `json:"type"`
	ShowSymbol *bool           `json:"showSymbol,omitempty"`
	Symbol     string          `json:"symbol,omitempty"`
	Color      string          `json:"color,omitempty"`
	SymbolSize []float64       `json:"symbolSize,omitempty"`
	Data       any             `json:"data"`
	Encode     *opts.Encode    `json:"encode,omitempty"`
	ItemStyle  *opts.ItemStyle `json:"itemStyle,omitempty"`
	MarkLines  *opts.MarkLines `json:"markLine,omitempty"`
	MarkAreas  *opts.MarkAreas `json:"markArea,omitempty"`
	LineStyle  *opts.LineStyle `json:"lineStyle,omitempty"`
}

// palette is what ECharts takes for series without a colour.
var palette = []string{"#5470c6", "#91cc75", "#fac858", "#ee6666", "#73c0de", "#3ba272", "#fc8452", "#9a60b4",
	"#ea7ccc"}

// option returns the chart as an option object of ECharts. It is pure JSON; the few functions that ECharts needs
// (areas of bands, tooltips) are in chart.js. encoding/json writes <, > and & as escapes, so that no text from data
// can end the script around it.
func (d *drawing) option() ([]byte, error) {
	rows, named := d.legendSize()
	if d.labels != nil {
		named = len(d.entries()) // for a phone, which has a legend
	}
	x, y := rounding(d.xmin, d.xmax, d.X.Log), rounding(d.ymin, d.ymax, d.Y.Log)
	if d.X.Dates {
		place := x
		x = func(v float64) float64 { // milliseconds, as ECharts counts
			if math.IsInf(v, 0) {
				v = place(v)
			}
			return math.Round(v * 86400e3)
		}
	}
	out, err := json.Marshal(map[string]any{
		"animation": false,
		"useUTC":    true, // dates are days, wherever they are read
		"color":     palette,
		"title": opts.Title{
			Title: clean(d.Title), Left: "8", Top: "6",
			TitleStyle: &opts.TextStyle{Color: "#222", FontSize: 15, FontWeight: "bold"},
		},
		"legend": opts.Legend{
			Show: opts.Bool(d.labels == nil), Left: "8", Top: fmt.Sprint(d.top() - 8), ItemWidth: 18, ItemHeight: 10,
			Data: d.legendData(named),
		},
		"tooltip": opts.Tooltip{Show: opts.Bool(true), Trigger: d.trigger(), Formatter: "{b}"},
		"toolbox": opts.Toolbox{Show: opts.Bool(true), Right: "10", Top: "4", Feature: &opts.ToolBoxFeature{
			DataZoom: &opts.ToolBoxFeatureDataZoom{Show: opts.Bool(true),
				Title: map[string]string{"zoom": "zoom", "back": "back"}},
			Restore: &opts.ToolBoxFeatureRestore{Show: opts.Bool(true), Title: "reset"},
		}},
		"xAxis": []opts.XAxis{{
			Type: scale(d.X), Name: clean(d.X.Label), NameLocation: "middle", NameGap: 28 + d.X.room(),
			Min: x(d.xmin), Max: x(d.xmax),
			SplitLine: &opts.SplitLine{Show: opts.Bool(len(d.stripes) == 0),
				LineStyle: &opts.LineStyle{Color: "#e4e4e4"}},
			AxisLine:  &opts.AxisLine{Show: opts.Bool(true), OnZero: opts.Bool(false)},
			AxisLabel: endLabels(d.xticks, d.xmin, d.xmax), MinInterval: minInterval(d.X),
		}},
		"yAxis": []opts.YAxis{{
			Type: scale(d.Y), Name: clean(d.Y.Label), NameLocation: "middle", NameGap: 46, Min: y(d.ymin),
			Max:       y(d.ymax),
			SplitLine: &opts.SplitLine{Show: opts.Bool(true), LineStyle: &opts.LineStyle{Color: "#e4e4e4"}},
			AxisLine:  &opts.AxisLine{Show: opts.Bool(true), OnZero: opts.Bool(false)},
			AxisLabel: endLabels(d.yticks, d.ymin, d.ymax),
		}},
		"grid": []opts.Grid{{
			Left: "64", Right: "20", Top: fmt.Sprint(d.top() + 20*rows), Bottom: fmt.Sprint(46 + d.X.room()),
		}},
		"dataZoom": []opts.DataZoom{
			{Type: "inside", FilterMode: "none", XAxisIndex: 0},
			{Type: "inside", FilterMode: "none", YAxisIndex: 0},
		},
		"series": append(d.allSeries(x, y), d.labelSeries(x, y)...),
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Kind, err)
	}
	return out, nil
}

// allSeries returns the series of all marks. The legend shows the first series of each name. Bands come last, so that
// the legend shows a line and not its band; chart.js draws the bands below the lines.
func (d *drawing) allSeries(x, y func(float64) float64) (all []series) {
	var bands []series
	for _, m := range d.marks {
		for _, s := range m.series(x, y) {
			s.Name = clean(s.Name)
			if s.Type == "custom" {
				bands = append(bands, s)
				continue
			}
			all = append(all, s)
		}
	}
	all = append(all, bands...)
	if len(d.stripes) > 0 {
		var areas []any
		for _, s := range d.stripes {
			areas = append(areas, [2]opts.MarkAreaNameXAxisItem{{XAxis: x(s[0])}, {XAxis: x(s[1])}})
		}
		// The stripes belong to a series of their own without data, because switching a method off in the legend must
		// not remove them.
		all = append([]series{{Type: "scatter", Data: [][]float64{}, MarkAreas: &opts.MarkAreas{
			Data: areas, MarkAreaStyle: opts.MarkAreaStyle{ItemStyle: &opts.ItemStyle{Color: "#f5f5f5"}}}}}, all...)
	}
	return all
}

// Icons of lines in the legend, 20 px wide.
const (
	stroke = "path://M0,0L20,0L20,2.4L0,2.4Z"
	dashes = "path://M0,0L5,0L5,2.4L0,2.4ZM7.5,0L12.5,0L12.5,2.4L7.5,2.4ZM15,0L20,0L20,2.4L15,2.4Z"
)

// legendData returns the first n entries of the legend. An entry that has only lines, bands, arrows and ticks gets a
// plain or dashed stroke for icon, as in the static legend.
func (d *drawing) legendData(n int) []map[string]string {
	var out []map[string]string
	for _, name := range d.entries()[:n] {
		entry := map[string]string{"name": clean(name), "icon": stroke}
		for _, m := range d.marks {
			if m.name() != name {
				continue
			}
			switch m := m.(type) {
			case lineMark:
				if entry["icon"] != "" && m.Dashed {
					entry["icon"] = dashes
				}
			case bandMark, arrowMark:
			case pointMark:
				if m.Shape.stretch == 1 { // else it is a stroke itself
					delete(entry, "icon")
				}
			default:
				delete(entry, "icon")
			}
		}
		out = append(out, entry)
	}
	return out
}

// top returns where the plot would begin without a legend, in px from the top.
func (d *drawing) top() int {
	if d.Title == "" {
		return 16
	}
	return 38
}

// trigger returns ECharts' name for what a tooltip shows: all lines at one x, or one item.
func (d *drawing) trigger() string {
	if d.shared {
		return "axis"
	}
	return "item"
}

// minInterval returns the smallest distance between labels; 0 allows any distance.
func minInterval(a Axis) float64 {
	if a.Whole {
		return 1
	}
	return 0
}

// endLabels shows the label at an end of an axis only if this end is a tick: other ends are seldom round numbers.
func endLabels(ticks []plot.Tick, lo, hi float64) *opts.AxisLabel {
	at := func(end float64) *bool {
		return opts.Bool(slices.ContainsFunc(ticks, func(t plot.Tick) bool {
			return t.Label != "" && math.Abs(t.Value-end) <= 1e-9*(hi-lo)
		}))
	}
	return &opts.AxisLabel{ShowMinLabel: at(lo), ShowMaxLabel: at(hi)}
}

func scale(a Axis) string {
	if a.Dates {
		return "time"
	}
	if a.Log {
		return "log"
	}
	return "value"
}

func cleanAll(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = clean(n)
	}
	return out
}
