package page

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/microcosm-cc/bluemonday"
)

// sanitised returns what of HTML shows something. It drops what could run or load: scripts, handlers of events, frames,
// objects, forms, style sheets, and links and images of other schemes than those below. So even a browser that ignores
// the page's content security policy runs nothing of it. What is left stays in its place: it has no class that the
// page's style sheet moves, and no id that a script of the page looks up, see [confined].
func sanitised(html string) string { return confined(hypertext().Sanitize(html)) }

// rule allows attributes of elements, or properties of styles, if their values match.
type rule struct {
	Names    []string `json:"names"`
	Elements []string `json:"elements,omitempty"` // none: all
	// Value is a regular expression of Go and of JavaScript alike. Capital letters are like small ones.
	Value string `json:"value"`
}

// shown is the policy for HTML of outputs and of Markdown, and for the figures of a live page's own program, which
// clean.js sanitises.
var shown = struct {
	Elements   []string `json:"elements"`
	Skipped    []string `json:"skipped"` // with their content, because it is no text
	Attributes []rule   `json:"attributes"`
	Styles     []rule   `json:"styles"`
	Classes    string   `json:"classes"`
	Image      string   `json:"image"`  // what the address of an image in the page begins with
	Prefix     string   `json:"prefix"` // of ids
	Programs   []string `json:"programs"`
}{
	Elements: []string{"p", "div", "span", "br", "hr", "wbr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre",
		"code", "kbd", "samp", "var", "tt", "b", "strong", "i", "em", "u", "s", "del", "ins", "mark", "small", "big",
		"sub", "sup", "abbr", "cite", "dfn", "q", "time", "ul", "ol", "li", "dl", "dt", "dd", "table", "caption",
		"colgroup", "col", "thead", "tbody", "tfoot", "tr", "th", "td", "details", "summary", "figure", "figcaption",
		"section", "article", "header", "footer", "aside", "center", "font", "progress", "meter", "a", "img"},
	Skipped: []string{"script", "style", "iframe", "noscript", "title", "object", "svg", "math", "template", "select",
		"textarea", "xmp", "plaintext", "video", "audio", "canvas", "map", "dialog", "noembed", "noframes"},
	Attributes: []rule{
		{[]string{"id"}, nil, name},
		{[]string{"class"}, nil, words},
		{[]string{"title", "lang", "dir", "role", "aria-label", "aria-hidden"}, nil, ``},
		{[]string{"data-uses", "data-panel"}, nil, name}, // the library that a figure needs, and the name of a panel
		{[]string{"align"}, nil, alignment},
		{[]string{"valign"}, []string{"tr", "th", "td", "col", "colgroup", "thead", "tbody", "tfoot"}, alignment},
		{[]string{"colspan", "rowspan", "span", "border", "cellpadding", "cellspacing", "start", "value"}, nil,
			`^[+-]?\d{1,6}$`},
		{[]string{"width", "height"}, []string{"img", "table", "td", "th", "col", "colgroup"}, length},
		{[]string{"value", "max", "min"}, []string{"progress", "meter"}, length},
		{[]string{"scope"}, []string{"th", "td"}, words},
		{[]string{"open"}, []string{"details"}, words},
		{[]string{"color"}, []string{"font"}, `^#?\w+$`},
		{[]string{"href"}, []string{"a"}, link},
		{[]string{"src", "alt"}, []string{"img"}, ``},
	},
	Styles: []rule{
		{[]string{"position"}, nil, `^(?:static|relative)$`},
		{[]string{"width", "height", "min-width", "max-width", "min-height", "max-height", "margin", "margin-left",
			"margin-right", "margin-top", "margin-bottom", "padding", "padding-left", "padding-right", "padding-top",
			"padding-bottom", "border", "border-left", "border-right", "border-top", "border-bottom", "border-color",
			"border-style", "border-width", "border-radius", "border-collapse", "border-spacing", "caption-side",
			"background", "background-color", "color", "opacity", "display", "overflow", "overflow-x", "overflow-y",
			"overflow-wrap", "white-space", "word-break", "text-align", "text-decoration", "text-indent",
			"vertical-align", "line-height", "letter-spacing", "list-style-type", "font", "font-family", "font-size",
			"font-style", "font-weight", "font-variant", "font-variant-numeric", "flex", "flex-direction", "flex-wrap",
			"gap", "align-items", "justify-content", "float", "clear"}, nil, plainValue},
	},
	// Those of panels that stand in a notebook, and what the page's style sheet does not know.
	Classes: `^(?:expfam-live(?:-controls|-figure|-code)?|mathjax_ignore|tex2jax_ignore|language-[\w-]+|footnote[\w-]*|task-list[\w-]*)$`,
	Image:   imageData,
	Prefix:  idPrefix,
	// Those of figures. A panel in a figure would have no program behind it.
	Programs: []string{"chart", "maps", "areas", "table", "sketch"},
}

const (
	// link matches addresses without a scheme and those that only lead somewhere.
	link = `^\s*(?:https?:|mailto:|[^:]*$|[^:]*[/?#])`
	// imageData matches raster and vector images. An SVG inside of an img element runs no scripts and loads nothing.
	imageData = `^image/(?:png|jpeg|gif|webp|svg\+xml);base64,`
	name      = `^\w[\w:.-]*$`
	words     = `^[\w\s:.-]*$`
	length    = `^\d{1,6}(?:\.\d+)?(?:px|%)?$`
	alignment = `^(?:left|right|center|justify|top|middle|bottom|baseline)$`
	// plainValue matches values of styles that ask for nothing from elsewhere. A negative length would put an element
	// over another one.
	plainValue = `^(?:(?:rgba?|hsla?)\([\w\s.,%/]*\)|var\(--[\w-]+\)|[\w#%.,'"/+]|[\w#%'")]-|-[a-z]|\s)*$`
)

// folded compiles a pattern that takes capital letters like small ones.
func folded(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + pattern) }

// hypertext is the policy of what is shown.
var hypertext = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements(shown.Elements...)
	p.AllowNoAttrs().OnElements("span", "a", "font")
	p.SkipElementsContent(shown.Skipped...)
	for _, r := range shown.Attributes {
		if allowed := p.AllowAttrs(r.Names...).Matching(folded(r.Value)); r.Elements == nil {
			allowed.Globally()
		} else {
			allowed.OnElements(r.Elements...)
		}
	}
	for _, r := range shown.Styles {
		p.AllowStyles(r.Names...).Matching(folded(r.Value)).Globally()
	}
	// The boxes of task lists.
	p.AllowAttrs("type").Matching(folded(`^checkbox$`)).OnElements("input")
	p.AllowAttrs("checked", "disabled").Matching(folded(`^$`)).OnElements("input")

	p.RequireParseableURLs(true)
	p.AllowRelativeURLs(true)
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowURLSchemeWithCustomPolicy("data", isImage)
	return p
})

var imagePrefix = folded(imageData)

// isImage reports whether a data address holds an image.
func isImage(u *url.URL) bool {
	prefix := imagePrefix.FindString(u.Opaque)
	if prefix == "" || u.RawQuery != "" || u.Fragment != "" {
		return false
	}
	_, err := base64.StdEncoding.DecodeString(u.Opaque[len(prefix):])
	return err == nil
}

// sanitisedMath returns what of MathML shows a formula. TeX can choose attributes, by \class and \textcolor for
// instance.
func sanitisedMath(mathML string) string { return mathematics().Sanitize(mathML) }

// mathematics is the policy for formulas. Elements in which a browser would read HTML again are not in it.
var mathematics = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	elements := []string{"math", "semantics", "annotation", "mrow", "mi", "mn", "mo", "mtext", "ms", "mspace", "mstyle",
		"mpadded", "mphantom", "menclose", "mfrac", "msqrt", "mroot", "msub", "msup", "msubsup", "munder", "mover",
		"munderover", "mmultiscripts", "mprescripts", "mtable", "mtr", "mlabeledtr", "mtd", "code"}
	p.AllowElements(elements...)
	p.AllowNoAttrs().OnElements(elements...)
	p.AllowAttrs("display", "displaystyle", "scriptlevel", "mathvariant", "mathcolor", "mathbackground", "mathsize",
		"stretchy", "fence", "form", "separator", "lspace", "rspace", "minsize", "maxsize", "symmetric", "largeop",
		"movablelimits", "accent", "accentunder", "width", "height", "depth", "voffset", "linethickness", "linebreak",
		"rowspan", "columnspan", "columnalign", "rowalign", "columnspacing", "rowspacing", "columnlines", "rowlines",
		"frame", "notation", "encoding", "intent").
		Matching(regexp.MustCompile(`^[\w\s#%./+-]*$`)).Globally()
	p.AllowStyles("margin-left", "padding", "font-feature-settings", "border", "border-left", "border-right",
		"border-top", "border-bottom", "text-align", "color", "background-color", "math-style", "math-depth",
		"math-shift", "font-size").
		// thin spaces are negative
		Matching(folded(strings.Replace(plainValue, `|\s)`, `|\s|-[\d.]+em)`, 1))).Globally()
	return p
})
