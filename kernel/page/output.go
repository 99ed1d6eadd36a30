package page

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"strings"

	"github.com/expfam/lab/kernel/ipynb"
)

// output renders one output of a code cell, in the richest of its forms.
func output(out *ipynb.Output) (template.HTML, error) {
	switch out.Type {
	case ipynb.Stream:
		return wrap("stream "+out.Name, "<pre>"+ansiHTML(out.Text)+"</pre>"), nil
	case ipynb.Error:
		text := strings.Join(out.Traceback, "\n")
		if text == "" {
			text = out.EName + ": " + out.EValue
		}
		return wrap("error", "<pre>"+ansiHTML(text)+"</pre>"), nil
	}
	return bundle(out)
}

// bundle takes the first media type that the output has, in the order in which Jupyter prefers them.
func bundle(out *ipynb.Output) (template.HTML, error) {
	alt := template.HTMLEscapeString(strings.TrimSpace(out.Content("text/plain")))
	if s := out.Content("text/html"); s != "" {
		return wrap("html", s), nil
	}
	if s := out.Content("text/markdown"); s != "" {
		h, err := markdown(s, nil)
		return wrap("markdown", string(h)), err
	}
	if s := out.Content("image/svg+xml"); s != "" {
		data := base64.StdEncoding.EncodeToString([]byte(s))
		return wrap("image", image("image/svg+xml", data, alt)), nil
	}
	if s := out.Content("text/latex"); s != "" {
		return wrap("latex", texHTML(strings.Trim(strings.TrimSpace(s), "$"), true)), nil
	}
	for _, mime := range []string{"image/png", "image/jpeg", "image/gif", "image/webp"} {
		if s := out.Content(mime); s != "" {
			return wrap("image", image(mime, strings.Join(strings.Fields(s), ""), alt)), nil
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
	return wrap("plain", "<pre>"+ansiHTML(out.Content("text/plain"))+"</pre>"), nil
}

// image goes into an img element, in which an SVG can neither run scripts nor clash with another one's ids.
func image(mime, data, alt string) string {
	return fmt.Sprintf(`<img src="data:%s;base64,%s" alt="%s">`, mime, data, alt)
}

func wrap(class, body string) template.HTML {
	return template.HTML(`<div class="output ` + template.HTMLEscapeString(class) + `">` + body + `</div>`)
}
