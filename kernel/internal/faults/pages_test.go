package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/ipynb"
	"github.com/expfam/lab/kernel/internal/page"
)

const ownLibrary = "library()"

// Hostile notebooks, some with broken JSON, through the exporter.
func TestPages(t *testing.T) {
	a := newArea("notebooks and pages")
	a.try(t, "an empty notebook", func() error {
		out, err := rendered(&ipynb.Notebook{})
		if err == nil && !bytes.Contains(out, []byte(`http-equiv="Content-Security-Policy"`)) {
			return wrong("the page has no policy")
		}
		return err
	})
	for range cases(40, 6000) {
		data := hostileNotebook(a.rng)
		if a.rng.IntN(4) == 0 {
			data, _ = mutation(a.rng, data)
		}
		a.try(t, fmt.Sprintf("%.3000q", data), func() error { return exported(data) })
	}
}

// exported reads a notebook, writes it, and makes a page of it.
func exported(data []byte) error {
	nb, err := ipynb.Parse(data)
	if err != nil {
		return refused(err)
	}
	text, err := nb.Bytes()
	if err != nil {
		return refused(err)
	}
	again, err := ipynb.Parse(text)
	if err != nil {
		return wrong("what was written is not read: %v", err)
	}
	if same, err := again.Bytes(); err != nil || !bytes.Equal(same, text) {
		return wrong("written twice it is another; error %v", err)
	}
	out, err := rendered(nb)
	if err != nil {
		return refused(err)
	}
	return inert(out)
}

func rendered(nb *ipynb.Notebook) ([]byte, error) {
	return page.Render(nb, "a", page.Scripts{Libraries: map[string][]byte{"lib": []byte(ownLibrary)}})
}

// inert reads a page as browsers do, and finds what would run in it, load something or leave its place.
func inert(out []byte) error {
	if !utf8.Valid(out) {
		return wrong("the page is not UTF-8")
	}
	root, err := html.Parse(bytes.NewReader(out))
	if err != nil {
		return wrong("the page is no HTML: %v", err)
	}
	styles := 0
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "script":
			if text := content(n); text != ownLibrary && text != page.Figures() && !isData(n, text) {
				return wrong("a script %q", text)
			}
		case "link", "meta":
			if !isOwn(n) {
				return wrong("an element %s with %v", n.Data, n.Attr)
			}
			continue
		case "iframe", "frame", "frameset", "object", "embed", "applet", "base", "form", "button", "svg", "template",
			"audio", "video", "source", "textarea", "noscript":
			return wrong("an element %s", n.Data)
		case "style":
			styles++
		}
		for _, attribute := range n.Attr {
			if err := checkAttribute(n, attribute); err != nil {
				return err
			}
		}
	}
	if styles != 1 {
		return wrong("%d style sheets", styles)
	}
	return nil
}

// ownHead are the elements link and meta that a page has itself. Its policy is another in every page.
var ownHead = [][]html.Attribute{
	{{Key: "charset", Val: "utf-8"}},
	{{Key: "http-equiv", Val: "Content-Security-Policy"}, {Key: "content"}},
	{{Key: "name", Val: "viewport"}, {Key: "content", Val: "width=device-width, initial-scale=1"}},
	{{Key: "name", Val: "color-scheme"}, {Key: "content", Val: "light dark"}},
	{{Key: "name", Val: "referrer"}, {Key: "content", Val: "no-referrer"}},
	{{Key: "http-equiv", Val: "x-dns-prefetch-control"}, {Key: "content", Val: "off"}}, // asks no server for names
	{{Key: "rel", Val: "icon"}, {Key: "href", Val: "data:,"}},                          // asks for no icon
}

// isOwn reports whether an element is one of the page's own head.
func isOwn(n *html.Node) bool {
	return n.Parent.Data == "head" && slices.ContainsFunc(ownHead, func(own []html.Attribute) bool {
		return slices.EqualFunc(n.Attr, own, func(a, own html.Attribute) bool {
			return a == own || a.Key == own.Key && own.Val == ""
		})
	})
}

// isData tells of a script element that it holds data of a figure, which no browser runs.
func isData(n *html.Node, text string) bool {
	return slices.Contains(n.Attr, html.Attribute{Key: "type", Val: "application/json"}) && json.Valid([]byte(text))
}

func content(n *html.Node) string {
	if n.FirstChild == nil {
		return ""
	}
	return n.FirstChild.Data
}

func checkAttribute(n *html.Node, attribute html.Attribute) error {
	key, value := strings.ToLower(attribute.Key), attribute.Val
	switch {
	case strings.HasPrefix(key, "on"), key == "srcdoc", key == "formaction", key == "action", key == "background",
		key == "ping", key == "srcset":
		return wrong("<%s %s=%q>", n.Data, key, value)
	case key == "style":
		low := strings.ToLower(value)
		for _, bad := range []string{"url(", "expression(", "fixed", "absolute", "sticky", "import"} {
			if strings.Contains(low, bad) {
				return wrong("<%s style=%q>", n.Data, value)
			}
		}
	case key == "href" || key == "src" || key == "xlink:href":
		// Browsers drop these before they look for the scheme.
		trimmed := strings.NewReplacer("\n", "", "\t", "", "\r", "").
			Replace(strings.TrimFunc(value, func(r rune) bool { return r <= ' ' }))
		scheme, rest, found := strings.Cut(trimmed, ":")
		if !found || strings.ContainsAny(scheme, "/?#") {
			return nil
		}
		switch scheme = strings.ToLower(scheme); {
		case scheme == "http" || scheme == "https" || scheme == "mailto":
		case scheme == "data" && n.Data == "img" && strings.HasPrefix(rest, "image/"):
		default:
			if _, err := url.Parse(trimmed); err == nil || strings.Contains(scheme, "script") {
				return wrong("<%s %s=%q>", n.Data, key, value)
			}
		}
	}
	return nil
}

// Commands of the runner whose files or flags are wrong end with one sentence, and leave what is there.
func TestCommands(t *testing.T) {
	if !*fulltest.Full {
		t.Skip("builds the runner; with -full")
	}
	a := newArea("commands of the runner")
	dir := t.TempDir()
	program := filepath.Join(dir, "kernel")
	if out, err := exec.Command("go", "build", "-o", program, "github.com/expfam/lab/kernel").
		CombinedOutput(); err != nil {
		t.Skipf("no compiler: %v\n%s", err, out)
	}
	valid := hostileNotebook(a.rng)
	file := filepath.Join(dir, "a.ipynb")
	for range 150 {
		data, how := mutation(a.rng, valid)
		if _, err := ipynb.Parse(data); err == nil {
			data, how = data[:len(data)/2], "cut"
		}
		must.Do(t, os.WriteFile(file, data, 0o600))
		args := pick(a.rng, []string{"run", file}, []string{"run", "-check", file},
			[]string{"run", "-out", filepath.Join(dir, "none", "b.ipynb"), file},
			[]string{"run", filepath.Join(dir, "none.ipynb")}, []string{"run", dir}, []string{"run", "-set", "nonsense",
				file}, []string{"run", "-nonsense", file},
			[]string{"run"}, []string{"nonsense", file}, []string{"run", "-out", dir, file})
		a.try(t, fmt.Sprintf("kernel %q, %s", args, how), func() error {
			cmd := exec.Command(program, args...)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "JUPYTER_DATA_DIR="+filepath.Join(dir, "jupyter"))
			var said bytes.Buffer
			cmd.Stderr = &said
			err := cmd.Run()
			left, _ := os.ReadFile(file)
			switch text := strings.TrimSpace(said.String()); {
			case !bytes.Equal(left, data):
				return lose("the notebook was changed")
			case err == nil:
				return wrong("no error: %s", text)
			case strings.Contains(text, "panic:") || strings.Contains(text, "goroutine "):
				return panicked{text}
			case text == "":
				return wrong("it says nothing: %v", err)
			default:
				lines := strings.Split(text, "\n")
				return refused(fmt.Errorf("%s", lines[len(lines)-1]))
			}
		})
	}
}
