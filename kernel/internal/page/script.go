package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/expfam/lab/viz/program"
)

// Scripts are the scripts that may run in a page, besides the programs of figures. Nothing else does: the page's
// content security policy names them by their hashes, and every other script of an output is left out.
type Scripts struct {
	// Libraries are the sources of script libraries by name, as "echarts". A library that an output uses is embedded,
	// once. An output says that it uses one by the attribute data-uses="NAME" of an element. A library that is missing
	// or empty is left out: outputs have to be readable without it.
	Libraries map[string][]byte
	// Live is the program of the notebook's live cells; nil if there is none.
	Live *Live
}

// Figures returns the script that runs the programs of figures. A figure itself brings data alone: an output's script
// that calls a program becomes a block of JSON with the program's name, and the page's program of that name gets the
// block. The page can be read before that: its figures are pictures, which become interactive one after the other,
// those in view first.
func Figures() string {
	var b strings.Builder
	b.WriteString(`globalThis.expfamFigures = (programs => root => {
for (const block of root.matches?.("script") ? [root] : root.querySelectorAll('script[type="application/json"][data-program]')) {
if (block.dataset.ran) continue;
block.dataset.ran = "1";
try { programs[block.dataset.program].call(block, JSON.parse(block.textContent)); } catch (e) { console.error(e); }
}
})({`)
	for _, p := range program.All() {
		fmt.Fprintf(&b, "%s: %s,\n", p.Name, p.Code)
	}
	return b.String() + `});
(() => {
const inView = block => { const r = block.parentElement.getBoundingClientRect(); return r.bottom > 0 && r.top < innerHeight; };
const next = () => {
const left = Array.from(document.querySelectorAll('script[type="application/json"][data-program]:not([data-ran])'));
if (!left.length) return;
expfamFigures(left.find(inView) || left[0]);
setTimeout(next);
};
setTimeout(next, 50); // after the first paint
})();
`
}

// uses matches what an output says about the libraries that it uses.
var uses = regexp.MustCompile(`data-uses="(\w+)"`)

// needs returns the libraries that a body needs, in the order of their names.
func needs(body string) []string {
	names := map[string]bool{}
	for _, m := range uses.FindAllStringSubmatch(body, -1) {
		names[m[1]] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// closing matches what would end a script element early, or hide its end. It can stand only in a string of JavaScript,
// in which a backslash changes nothing.
var closing = regexp.MustCompile(`(?i)<(/script|!--)`)

// inline returns a script that may run, and its hash for the page's policy. The hash is that of the text as a browser
// reads it.
func inline(code string) (script template.HTML, hash string) {
	code = closing.ReplaceAllString(code, `<\$1`)
	code = strings.ToValidUTF8(strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "").Replace(code), "\ufffd")
	return template.HTML("<script>" + code + "</script>\n"), hashOf(code)
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Policy returns the content security policy of a page: scripts and a style sheet from these sources, images beside the
// page and in it, and nothing from any other host. more are directives besides. Attributes may have styles, because
// figures and tables do.
func Policy(scripts, sheet, more string) string {
	return "default-src 'none'; script-src " + scripts + "; " + more + "style-src 'unsafe-inline'; style-src-elem " +
		sheet + "; style-src-attr 'unsafe-inline'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'"
}

// policy returns the policy of a page with the hashes of its scripts. A live program runs in a worker that the page
// makes, because such a worker has the policy of the page.
func (s Scripts) policy(hashes []string, style string) string {
	own, more := "'none'", ""
	if len(hashes) > 0 {
		own = strings.Join(hashes, " ")
	}
	if s.Live != nil {
		own, more = own+" 'wasm-unsafe-eval'", "worker-src blob:; "
		if s.Live.beside() {
			more += "connect-src 'self'; "
		}
	}
	return Policy(own, hashOf(style), more)
}
