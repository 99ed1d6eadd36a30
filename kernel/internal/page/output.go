package page

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"regexp"
	"strings"

	"github.com/expfam/lab/kernel/internal/ipynb"
	"github.com/expfam/lab/viz/program"
)

// output renders one output of a code cell, in the richest of its forms.
func output(out *ipynb.Output) (template.HTML, error) {
	switch out.Type {
	case ipynb.Stream:
		return wrap("stream "+out.Name, "<pre>"+ansiHTML(ipynb.Overwrite(out.Text))+"</pre>"), nil
	case ipynb.Error:
		text := strings.Join(out.Traceback, "\n")
		text = cmp.Or(text, out.EName+": "+out.EValue)
		return wrap("error", "<pre>"+ansiHTML(text)+"</pre>"), nil
	}
	return bundle(out)
}

// bundle renders the first media type that the output has, in the order in which Jupyter prefers them.
func bundle(out *ipynb.Output) (template.HTML, error) {
	alt := strings.TrimSpace(out.Content("text/plain"))
	if text := out.Content("text/html"); text != "" {
		return wrap("html", outputHTML(text)), nil
	}
	if text := out.Content("text/markdown"); text != "" {
		return wrap("markdown", string(markdown(text, nil))), nil
	}
	if text := out.Content("image/svg+xml"); text != "" {
		data := base64.StdEncoding.EncodeToString([]byte(text))
		return wrap("image", image("image/svg+xml", data, alt)), nil
	}
	if text := out.Content("text/latex"); text != "" {
		return wrap("latex", string(latex(strings.Trim(strings.TrimSpace(text), "$")))), nil
	}
	for _, mime := range []string{"image/png", "image/jpeg", "image/gif", "image/webp"} {
		if text := out.Content(mime); text != "" {
			data := strings.Join(strings.Fields(text), "")
			if mime == "image/png" {
				data = groundless(data)
			}
			return wrap("image", image(mime, data, alt)), nil
		}
	}
	if v, ok := out.Data["application/json"]; ok {
		data, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			return "", err
		}
		return wrap("plain", "<pre>"+template.HTMLEscapeString(string(data))+"</pre>"), nil
	}
	if _, script := out.Data["application/javascript"]; script {
		return "", nil // meant for a running notebook
	}
	if _, script := out.Data["text/javascript"]; script {
		return "", nil
	}
	text := out.Content("text/plain")
	if text == "" { // what has cleared itself, as a bar that has ended
		return "", nil
	}
	return wrap("plain", "<pre>"+ansiHTML(text)+"</pre>"), nil
}

// outputHTML returns an output's HTML, sanitised except for the data of figures, which the page's own programs read.
func outputHTML(text string) string {
	var data pieces
	text = program.Blocks(unmarked(text), func(called, json string) string {
		block := figureBlock(called, json)
		if block == "" {
			return "<script></script>" // which is left out
		}
		return data.mark(block, "")
	})
	clean := data.insert(sanitised(text))
	if active.MatchString(text) {
		clean += `<p class="note">What could run as a program was left out of this output; the notebook has it.</p>`
	}
	return clean
}

// active matches elements that show something in a notebook, but not in a page.
var active = regexp.MustCompile(`(?i)<(?:script|iframe|object|embed|svg|canvas|video|audio)\b`)

// image returns an image as an img element, in which an SVG can neither run scripts nor clash with another one's ids.
func image(mime, data, alt string) string {
	return fmt.Sprintf(`<img src="data:%s;base64,%s" alt="%s">`, mime, template.HTMLEscapeString(data),
		template.HTMLEscapeString(alt))
}

func wrap(class, body string) template.HTML {
	return template.HTML(`<div class="output ` + template.HTMLEscapeString(class) + `">` + body + `</div>`)
}
