package browser

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/ipynb"
	"github.com/expfam/lab/kernel/internal/site"
)

// provoked tells whether an injection of the open page ran, after all that a reader might do.
func (p *hosted) provoked() bool {
	p.t.Helper()
	// A click on what is in a link leads away, unless the link's address runs.
	const stay = `document.addEventListener("click", e => { const a = e.target.closest("a"); if (a && !/^javascript:/i.test(a.href)) e.preventDefault(); }, true);`
	do(p.page, 30*time.Second, chromedp.Evaluate[any](pageJS+stay+"\n0"))
	return do(p.page, time.Minute, chromedp.Evaluate[bool]("exported.provoke()", chromedp.EvalAwaitPromise))
}

// TestSiteInjections puts every injection into a lesson of one site, and opens the lessons, the index with their titles
// and sentences, and what the search finds.
func TestSiteInjections(t *testing.T) {
	beside(t)
	shots(t)
	s := site.Site{Title: hostile, Words: hostile}
	for i, c := range injections(t) {
		cells, metadata := c.cell, "{}"
		if !strings.Contains(c.cell, "cell_type") {
			cells, metadata = "", c.cell
		}
		nb := must.Get(ipynb.Parse([]byte(`{"nbformat": 4, "nbformat_minor": 5, "metadata": ` + metadata + `, "cells": [` +
			cells + `]}`)))(t)
		nb.Metadata["expfam"] = map[string]any{"summary": hostile, "minutes": hostile, "picture": hostile}
		nb.Cells = append(nb.Cells, &ipynb.Cell{ID: "h" + fmt.Sprint(i), Type: ipynb.Markdown, Source: "# needle " +
			hostile})
		s.Lessons = append(s.Lessons, site.Lesson{Name: fmt.Sprintf("l%02d", i), Notebook: nb,
			Notes: map[string]string{hostile: hostile}})
	}
	dir := t.TempDir()
	must.Do(t, s.Write(dir))
	p := host(t, dir)
	p.quiet = true // what the policy refuses stands in the console
	names := []string{"index.html"}
	for _, l := range s.Lessons {
		names = append(names, l.Name+".html")
	}
	for _, name := range names {
		p.visit(name)
		must.Be(t, !p.provoked(), "%s: an injection runs", name)
	}
	p.visit("index.html")
	found := do(p.page, time.Minute, chromedp.Evaluate[float64](`(async () => {
		const field = document.getElementById("search"), list = document.getElementById("found");
		field.focus();
		field.value = "needle";
		field.dispatchEvent(new Event("input", { bubbles: true }));
		for (let i = 0; i < 100 && !list.querySelector("a"); i++) await new Promise(done => setTimeout(done, 50));
		return list.querySelectorAll("a").length;
	})()`, chromedp.EvalAwaitPromise))
	must.Be(t, found != 0, "the search finds nothing")
	must.Be(t, !p.provoked(), "an injection runs in what the search finds")
	t.Logf("%d pages, %g results", len(names), found)
}

// TestSiteHostileProgram has a live program show hostile text wherever it can: titles, labels, options, names, errors,
// its listing.
func TestSiteHostileProgram(t *testing.T) {
	shots(t)
	nb := &ipynb.Notebook{Metadata: map[string]any{"kernelspec": map[string]any{"name": "expfam",
		"display_name": "expfam (Go)", "language": "go"}}}
	cell := &ipynb.Cell{ID: "panel", Type: ipynb.Code, Source: fmt.Sprintf(`const evil = %q

level := &live.Slider{Label: "level", Min: 0, Max: 100, Step: 1, Value: 50}
other := &live.Slider{Label: evil, Min: 0, Max: 1}
choice := &live.Choice{Label: "choice", Options: []string{evil, "b"}}
text := &live.Text{Label: "text", Value: evil, Check: func(s string) error {
	if s == evil+"!" {
		return errors.New(s)
	}
	return nil
}}
live.Panel{Title: evil, Controls: []live.Control{level, other, choice, text}, Code: func() string { return evil }, Draw: func() (viz.Figure, error) {
	if level.Value > 90 {
		return nil, errors.New(evil)
	}
	y := []float64{0, level.Value, 100}
	return viz.Lines{Lines: []viz.Line{{Name: evil, Y: y}}, Title: evil, XLabel: evil, YLabel: evil, Note: evil}, nil
}}.Show()`, hostile)}
	cell.Outputs = []*ipynb.Output{{Type: ipynb.DisplayData, Metadata: map[string]any{},
		Data: map[string]any{"text/html": `<div class="expfam-live x" data-panel="p"><div class="expfam-live-controls"></div>` +
			`<div class="expfam-live-figure"></div><details class="expfam-live-code"><summary>x</summary><pre>x</pre></details></div>`}}}
	nb.Cells = []*ipynb.Cell{cell}
	path := filepath.Join(t.TempDir(), "evil.ipynb")
	must.Do(t, nb.Write(path))
	t.Setenv(siteEnv, "") // it is a site of its own
	p := host(t, sited(t, path))
	p.visit("evil.html")
	const id = "cell-panel"
	in[float64](p, 2*time.Minute, "live", id, 90000)
	for _, step := range []struct {
		label string
		value any
		error string
	}{{"level", 20, ""}, {"text", hostile + "!", hostile}, {"choice", "b", ""}, {"level", 95, hostile},
		{"level", 30, ""}} {
		got := in[drawn](p, time.Minute, "set", id, step.label, step.value, 30000)
		must.Be(t, step.error == "" || strings.Contains(got.Error, step.error),
			"%s to %v: the page says %q, want the text as it is", step.label, step.value, got.Error)
	}
	if listing := do(p.page, time.Minute, chromedp.Evaluate[string](
		`document.querySelector(".expfam-live-code pre").textContent`)); listing != hostile {
		t.Errorf("the listing is %q", listing)
	}
	p.shot("hostile")
	// The pointer makes the figure interactive, with all of its text.
	do(p.page, time.Minute, chromedp.Evaluate[bool](
		`document.querySelector(".expfam-live-figure").dispatchEvent(new PointerEvent("pointerenter"))`))
	time.Sleep(2 * time.Second)
	must.Be(t, !p.provoked(), "text of a live program runs")
}
