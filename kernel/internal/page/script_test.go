package page

import (
	"fmt"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// outputs makes a notebook of code cells that show HTML, one each.
func outputs(html ...string) string {
	var cells []string
	for i, h := range html {
		cells = append(cells, fmt.Sprintf(`{"cell_type": "code", "id": "c%d", "metadata": {}, "execution_count": 1, "source": "f()", "outputs": [
			{"output_type": "display_data", "metadata": {}, "data": {"text/html": %q}}]}`, i, h))
	}
	return `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [` + strings.Join(cells, ",") + "]}"
}

func TestLibraries(t *testing.T) {
	const plain, first, second = `<b>plain</b>`, `<div id="1" data-uses="lib"></div>`,
		`<div id="2" data-uses="lib"></div>`
	code := map[string][]byte{"lib": []byte(`a="</script></SCRIPT><!--<script>"`), "other": []byte("other()")}
	const embedded = "<script>" + `a="<\/script><\/SCRIPT><\!--<script>"` + "</script>\n"
	body := func(t *testing.T, doc string, libraries map[string][]byte) string {
		t.Helper()
		data := must.Get(Render(parse(t, doc), "x", Scripts{Libraries: libraries}))(t)
		_, body, _ := strings.Cut(string(data), "<main>")
		return body
	}
	t.Run("once, escaped, behind what a reader sees", func(t *testing.T) {
		got := body(t, outputs(plain, first, second), code)
		want := body(t, outputs(plain, first, second), nil)
		want = strings.Replace(want, "</main>\n", "</main>\n"+embedded, 1)
		must.Equal(t, got, want)
	})
	t.Run("again in the next page", func(t *testing.T) {
		must.Equal(t, strings.Count(body(t, outputs(first), code), embedded), 1)
	})
	for _, c := range []struct {
		name, html string
		libraries  map[string][]byte
	}{
		{"no output uses it", plain, code},
		{"text that names it is no use", "&lt;div data-uses=&quot;lib&quot;&gt;", code},
		{"not there", first, map[string][]byte{"lib": nil}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := body(t, outputs(c.html), c.libraries)
			must.Be(t, !strings.Contains(got, "<script"), "got %s", got)
		})
	}
}
