package page

import (
	"bytes"
	"html/template"
	"regexp"
	"slices"
	"strings"
)

// scripts are the libraries that outputs may ask for and that the page doesn't hold yet. An output asks with the attribute
// data-uses="NAME" of one of its elements; its own scripts have to come behind the page's, and to leave the output
// readable where there is no library or scripts don't run.
type scripts map[string][]byte

// take returns the libraries that an output uses as script elements, each only once for a page.
func (s scripts) take(output template.HTML) template.HTML {
	var names []string
	for name, code := range s {
		if len(code) > 0 && strings.Contains(string(output), `data-uses="`+name+`"`) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var b bytes.Buffer
	for _, name := range names {
		b.WriteString("<script>")
		b.Write(closing.ReplaceAll(s[name], []byte(`<\$1`)))
		b.WriteString("</script>\n")
		delete(s, name)
	}
	return template.HTML(b.String())
}

// closing matches what would end a script element early, or hide its end. In a string of JavaScript, where alone it can
// stand, a backslash changes nothing.
var closing = regexp.MustCompile(`(?i)<(/script|!--)`)
