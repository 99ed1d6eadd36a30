package page

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// idPrefix begins all ids of content. No id of the page itself and no name of a browser begins like this.
const idPrefix = "nb-"

var ownClasses = folded(shown.Classes)

// confined gives sanitised HTML ids and classes that only content has, so that it can't stand for an element of the
// page: its scripts look up ids, and its style sheet has classes that leave their place. Links inside of the page
// follow the ids. A link takes the place of an image of another host.
func confined(clean string) string {
	z := html.NewTokenizer(strings.NewReader(clean))
	var b strings.Builder
	links := 0
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return b.String()
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken && kind != html.EndTagToken {
			b.Write(z.Raw())
			continue
		}
		t := z.Token()
		if t.Data == "a" {
			if kind == html.EndTagToken {
				links--
			} else {
				links++
			}
		}
		if t.Data == "img" && remote(attribute(t, "src")) {
			b.WriteString(instead(t, links > 0))
			continue
		}
		t.Attr = slices.DeleteFunc(t.Attr, func(a html.Attribute) bool {
			return a.Key == "class" && len(classes(a.Val)) == 0
		})
		for i, a := range t.Attr {
			switch {
			case a.Key == "id":
				t.Attr[i].Val = idPrefix + a.Val
			case a.Key == "class":
				t.Attr[i].Val = strings.Join(classes(a.Val), " ")
			case a.Key == "href" && len(a.Val) > 1 && a.Val[0] == '#':
				t.Attr[i].Val = "#" + idPrefix + a.Val[1:]
			}
		}
		b.WriteString(t.String())
	}
}

// classes returns the classes of an attribute that content may have.
func classes(list string) []string {
	return slices.DeleteFunc(strings.Fields(list), func(class string) bool { return !ownClasses.MatchString(class) })
}

func attribute(t html.Token, key string) string {
	for _, a := range t.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// remote reports whether the address of an image leads away from the page and its folder.
func remote(src string) bool {
	u, err := url.Parse(src)
	return err != nil || u.Scheme != "" && u.Scheme != "data" || u.Host != "" ||
		strings.HasPrefix(strings.ReplaceAll(src, `\`, "/"), "//")
}

// instead returns what takes the place of an image of another host: a link to it, and in a link only its description.
func instead(t html.Token, inLink bool) string {
	text, src := strings.TrimSpace(attribute(t, "alt")), attribute(t, "src")
	text = cmp.Or(text, "image")
	if strings.HasPrefix(src, "//") {
		src = "https://" + strings.TrimLeft(src, "/")
	}
	if text = html.EscapeString(text); inLink {
		return text
	}
	return `<a href="` + html.EscapeString(src) + `" title="an image of another host, which this page does not load">` +
		text + "</a>"
}
