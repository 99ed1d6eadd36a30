package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Scripts are what may run in a page. Nothing else does: the page's content security policy names them by their hashes, and
// every other script of an output is left out.
type Scripts struct {
	// Libraries are the sources of script libraries by name, as "echarts". One that an output uses is embedded before the first
	// such output, once; an output says so with the attribute data-uses="NAME" of an element. What is missing or empty is left
	// out: outputs have to be readable without.
	Libraries map[string][]byte
	// Programs are functions of JavaScript, as expressions. An output's script runs if it is the call of one of them on JSON,
	// PROGRAM(JSON); and so brings only data.
	Programs []string
}

// scripts are those of one page.
type scripts struct {
	missing  map[string][]byte // libraries that the page doesn't hold yet
	programs []string
	hashes   []string // of the scripts that the page holds
}

func newScripts(s Scripts) *scripts {
	return &scripts{missing: maps.Clone(s.Libraries), programs: s.Programs}
}

// take returns the libraries that an output uses as script elements, each only once for a page.
func (s *scripts) take(output template.HTML) template.HTML {
	var names []string
	for name, code := range s.missing {
		if len(code) > 0 && strings.Contains(string(output), `data-uses="`+name+`"`) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var b strings.Builder
	for _, name := range names {
		b.WriteString(s.element(closing.ReplaceAllString(string(s.missing[name]), `<\$1`)) + "\n")
		delete(s.missing, name)
	}
	return template.HTML(b.String())
}

// closing matches what would end a script element early, or hide its end. In a string of JavaScript, where alone it can
// stand, a backslash changes nothing.
var closing = regexp.MustCompile(`(?i)<(/script|!--)`)

// element is a script that may run, whose hash the page's policy will name. The hash is that of the text as a browser reads it.
func (s *scripts) element(code string) string {
	code = strings.ToValidUTF8(strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "").Replace(code), "\ufffd")
	sum := sha256.Sum256([]byte(code))
	hash := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	if !slices.Contains(s.hashes, hash) {
		s.hashes = append(s.hashes, hash)
	}
	return "<script>" + code + "</script>"
}

// keep takes the calls of known programs out of an output's HTML, and keeps them among the pieces.
func (s *scripts) keep(html string, kept *pieces) string {
	const begin, end = "<script>", "</script>"
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(html, begin)
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		code, after, closed := strings.Cut(rest, end)
		call, known := s.call(code)
		if !closed || !known {
			b.WriteString(begin)
			html = rest
			continue
		}
		b.WriteString(kept.mark(s.element(call), ""))
		html = after
	}
}

// call tells whether code calls a known program on JSON, and returns the call with "<" escaped in the data.
func (s *scripts) call(code string) (string, bool) {
	code, ok := strings.CutSuffix(code, ");")
	if !ok {
		return "", false
	}
	for _, program := range s.programs {
		data, ok := strings.CutPrefix(code, program+"(")
		if !ok || !json.Valid([]byte(data)) {
			continue
		}
		var b bytes.Buffer
		json.HTMLEscape(&b, []byte(data))
		return program + "(" + b.String() + ");", true
	}
	return "", false
}

// policy is the page's content security policy: its own scripts and style sheet, images, and nothing from anywhere else.
// Attributes may have styles, because figures and tables do.
func (s *scripts) policy(style string) string {
	sum := sha256.Sum256([]byte(style))
	own := "'none'"
	if len(s.hashes) > 0 {
		own = strings.Join(s.hashes, " ")
	}
	return "default-src 'none'; script-src " + own + "; style-src 'unsafe-inline'; style-src-elem 'sha256-" +
		base64.StdEncoding.EncodeToString(sum[:]) + "'; style-src-attr 'unsafe-inline'; img-src 'self' data: http: https:; " +
		"base-uri 'none'; form-action 'none'"
}
