package faults

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// injections want to run a script, load something, or leave their place, each in its own way. %s is a program.
var injections = []string{
	`<script>%s</script>`, `<SCRIPT SRC="https://a.org/x.js">`, `<img src=x onerror="%s">`, `<svg onload="%s"></svg>`,
	`<svg><script>%s</script></svg>`, `<svg><a xlink:href="javascript:%s"><text>x</text></a></svg>`,
	`<math href="javascript:%s">x</math>`,
	`<iframe src="javascript:%s"></iframe>`, `<iframe srcdoc="<script>%s</script>"></iframe>`,
	`<object data="javascript:%s"></object>`,
	`<embed src="data:text/html,<script>%s</script>">`, `<a href="javascript:%s">x</a>`,
	`<a href=" java&#10;script:%s">x</a>`,
	`<a href="&#x6a;avascript:%s">x</a>`, `<a href="vbscript:%s">x</a>`,
	`<a href="data:text/html,<script>%s</script>">x</a>`,
	`[x](javascript:%s)`, `[x](<java script:%s>)`, `![x](javascript:%s)`, "[x]: javascript:%s\n\n[x]",
	`<javascript:%s>`, `<details open ontoggle="%s">x`,
	`<input autofocus onfocus="%s">`, `<form action="javascript:%s"><button>x`, `<button formaction="javascript:%s">x`,
	`<video><source onerror="%s">`,
	`<body onload="%s">`, `<base href="https://a.org/">`, `<meta http-equiv="refresh" content="0;url=javascript:%s">`,
	`<link rel="stylesheet" href="https://a.org/x.css">`,
	`<style>@import "https://a.org/x.css";</style>`, `<p style="position:fixed;background:url(javascript:%s)">x`,
	`<!--><img src=x onerror="%s">-->`,
	`<noscript><p title="</noscript><img src=x onerror=%s>">`, `<template><script>%s</script></template>`,
	`<textarea></textarea><script>%s</script>`,
	`<title></title><script>%s</script>`, `</section></main><script>%s</script>`,
	`<xmp><p title="</xmp><script>%s</script>">`, `<a onmouseover=%s>x`,
	`$\href{javascript:%s}{x}$`, `$$\class{a" onmouseover="%s}{x}$$`, `$\unicode{<script>%s</script>}$`,
	"$<img src=x onerror=\"%s\">$", "```html\n<script>%s</script>\n```",
	`<div data-uses="lib"><script>%s</script></div>`, `<script>(function (f) {})({});%s</script>`,
	`<script>(function (f) {})(%s);</script>`,
	"<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=x onerror=%s&gt;\">",
	`<svg></p><style><a id="</style><img src=x onerror=%s>">`,
	`<table background="javascript:%s"><td>x`, `<isindex type=image src=1 onerror=%s>`,
	"<img src=\"data:image/svg+xml;base64,PHN2Zz4=\" onload=\"%s\">", `<svg><use href="data:image/svg+xml,%s">`,
	`<set attributeName=onmouseover to="%s">`, "\x1b]8;;javascript:%s\x07x\x1b]8;;\x07",
	"\ue0000\ue001<script>%s</script>", `<scr<script>ipt>%s</script>`, "<img\x00src=x\x0conerror=%s>",
}

// hostile is a text of a few injections in what surrounds them.
func hostile(rng *rand.Rand) string {
	var b strings.Builder
	for range 1 + rng.IntN(4) {
		text := pick(rng, injections...)
		if strings.Contains(text, "%s") {
			text = fmt.Sprintf(text, pick(rng, "broken=1", "alert(1)", "parent.broken=1", `{"a":1}`, `{"maps":[1]}`))
		}
		b.WriteString(pick(rng, "", "# A ", "> ", "* ", "| a | b |\n|---|---|\n| ", "    ", "`", "**", "<div>",
			"<p title='", "<!--", "\\(", "$", "&lt;", "a\n\n") + text)
		b.WriteString(pick(rng, "", "\n\n", "'>", "-->", "`", "**", "</div>", "$", " |"))
	}
	text := b.String()
	if rng.IntN(3) == 0 {
		changed, _ := mutation(rng, []byte(text))
		text = strings.ToValidUTF8(string(changed), "\ufffd")
	}
	return text
}

// kinds are the media types of outputs.
var kinds = []string{"text/html", "text/markdown", "text/latex", "text/plain", "image/svg+xml", "image/png",
	"image/jpeg", "application/json",
	"application/javascript", "application/vnd.plotly.v1+json", `image/png" onerror="broken=1`}

// hostileNotebook is a notebook in JSON with hostile content in all of its places.
func hostileNotebook(rng *rand.Rand) []byte {
	var cells []any
	for i := range 1 + rng.IntN(4) {
		cell := map[string]any{"id": pick(rng, fmt.Sprint("c", i), `a" onmouseover="broken=1`, ""),
			"metadata": map[string]any{"tags": []any{hostile(rng)}}, "source": hostile(rng)}
		switch rng.IntN(4) {
		case 0:
			cell["cell_type"] = "raw"
		case 1:
			cell["cell_type"] = "markdown"
			cell["attachments"] = map[string]any{"a.png": map[string]any{pick(rng, kinds...): hostile(rng)}}
			cell["source"] = cell["source"].(string) + pick(rng, "", "\n![a](attachment:a.png)")
		default:
			var outputs []any
			for range rng.IntN(4) {
				var out map[string]any
				switch rng.IntN(4) {
				case 0:
					out = map[string]any{"output_type": "stream", "name": "stdout", "text": hostile(rng)}
				case 1:
					out = map[string]any{"output_type": "error", "ename": hostile(rng), "evalue": hostile(rng),
						"traceback": []any{hostile(rng)}}
				default:
					out = map[string]any{"output_type": "display_data", "metadata": map[string]any{},
						"data": map[string]any{pick(rng, kinds...): hostile(rng), "text/plain": hostile(rng)}}
				}
				outputs = append(outputs, out)
			}
			cell["cell_type"], cell["outputs"], cell["execution_count"] = "code", outputs, 1
		}
		cells = append(cells, cell)
	}
	data, err := json.Marshal(map[string]any{"nbformat": 4, "nbformat_minor": 5, "cells": cells,
		"metadata": map[string]any{"title": hostile(rng),
			"language_info": map[string]any{"name": pick(rng, "go", "python", hostile(rng))}}})
	if err != nil {
		panic(err)
	}
	return data
}
