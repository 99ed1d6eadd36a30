package page

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// A page with a live program lets that run, in a worker, and nothing else than before.
func TestLive(t *testing.T) {
	doc := outputs(`<div class="expfam-live x"><script>(function (d) {})({"specs":[]});</script></div>`)
	const eval = "'wasm-unsafe-eval'"
	for _, c := range []struct {
		name       string
		live       *Live
		has, hasNo []string // the policy
		blocks     []string
	}{
		{"none", nil, []string{"script-src 'sha256-"}, []string{eval, "worker-src", "connect-src"}, nil},
		{"in the page", &Live{Cells: []string{"c0"}, Program: []byte("code"), Runtime: []byte("</script>"),
			Files: map[string][]byte{"w/x": []byte("data")}},
			[]string{eval, "worker-src blob:;"}, []string{"connect-src"},
			[]string{`id="expfam-live-program">Y29kZQ==<`, `id="expfam-live-file:w/x">ZGF0YQ==<`,
				`id="expfam-live-worker">`, `"program":"","worker":"","size":4`}},
		{"beside", &Live{Cells: []string{"c0"}, Program: []byte("code"), ProgramURL: "a/p.bin", WorkerURL: "a/w.js",
			Files:    map[string][]byte{"w/x": nil},
			FileURLs: map[string]string{"w/x": "a/x.bin"}, Notes: map[string]string{"c0": "</script>"}},
			[]string{eval, "worker-src blob:;", "connect-src 'self';"}, []string{"worker-src 'self'"},
			[]string{`"program":"a/p.bin","worker":"a/w.js"`, `{"path":"w/x","url":"a/x.bin"}`,
				`"notes":{"c0":"\u003c/script\u003e"}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := must.Get(Render(parse(t, doc), "x", Scripts{Live: c.live}))(t)
			page := string(data)
			policy := html.UnescapeString(policyTag.FindStringSubmatch(page)[1])
			for _, want := range c.has {
				must.Be(t, strings.Contains(policy, want), "%s\nhas not %s", policy, want)
			}
			for _, not := range c.hasNo {
				must.Be(t, !strings.Contains(policy, not), "%s\nhas %s", policy, not)
			}
			for _, want := range c.blocks {
				must.Be(t, strings.Contains(page, want), "the page has not %s", want)
			}
			must.Equal(t, strings.Contains(page, `id="cell-c0" data-live>`), c.live != nil, "the live cell is marked")
			for _, m := range regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindAllStringSubmatch(page, -1) {
				must.Be(t, strings.Contains(policy, hashOf(m[1])), "the policy has no hash of %.60s", m[1])
			}
		})
	}
}
