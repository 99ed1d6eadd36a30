package browser

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/websocket"

	"github.com/expfam/lab/internal/must"
)

// firefox is a tab of Firefox at a plain server of a site's files, driven by WebDriver BiDi (W3C working draft, 2025).
type firefox struct {
	t    *testing.T
	url  string // of the server
	conn *websocket.Conn
	tab  string

	mu      sync.Mutex
	last    int
	answers map[int]chan bidiMessage
	wrong   []string
}

// bidiMessage is what Firefox says: an answer to a command, or an event.
type bidiMessage struct {
	ID      int
	Type    string
	Method  string
	Result  json.RawMessage
	Params  json.RawMessage
	Error   string
	Message string
}

// quietPrefs keep Firefox from asking anybody but this machine: everything else goes to a proxy that is not there.
const quietPrefs = `user_pref("network.proxy.type", 1);
user_pref("network.proxy.http", "127.0.0.1");
user_pref("network.proxy.http_port", 9);
user_pref("network.proxy.ssl", "127.0.0.1");
user_pref("network.proxy.ssl_port", 9);
user_pref("network.proxy.no_proxies_on", "127.0.0.1");
user_pref("app.update.enabled", false);
user_pref("toolkit.telemetry.reportingpolicy.firstRun", false);
user_pref("browser.shell.checkDefaultBrowser", false);
`

// hostFirefox serves a folder and opens Firefox with an empty profile at it. The test skips where there is none.
func hostFirefox(t *testing.T, dir string) *firefox {
	t.Helper()
	binary := ""
	for _, name := range []string{"firefox-esr", "firefox"} {
		if path, err := exec.LookPath(name); err == nil && binary == "" {
			binary = path
		}
	}
	if binary == "" {
		t.Skip("there is no Firefox on PATH; `apt-get install firefox-esr` puts Debian's there")
	}
	profile := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(profile, "user.js"), []byte(quietPrefs), 0o600))
	s := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(s.Close)
	// The context ends before the folder of the profile goes.
	ctx, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, binary, "--headless", "--no-remote", "--profile", profile, "--width", "1300",
		"--height", "1000", "--remote-debugging-port=0", "--remote-allow-origins", s.URL)
	cmd.Env = append(os.Environ(), "HOME="+profile, "MOZ_CRASHREPORTER_DISABLE=1")
	said, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	t.Cleanup(func() { stop(); cmd.Wait() })
	must.Do(t, err)
	address := ""
	for lines := bufio.NewScanner(said); address == "" && lines.Scan(); {
		_, address, _ = strings.Cut(lines.Text(), "WebDriver BiDi listening on ")
	}
	go func() { // lest its messages fill the pipe
		for lines := bufio.NewScanner(said); lines.Scan(); {
		}
	}()
	f := &firefox{t: t, url: s.URL + "/", answers: map[int]chan bidiMessage{}}
	if f.conn, err = websocket.Dial(address+"/session", "", s.URL); err != nil {
		t.Fatalf("%v: Firefox listens on %q", err, address)
	}
	t.Cleanup(func() { f.conn.Close() })
	go f.listen()
	f.call(time.Minute, "session.new", map[string]any{"capabilities": map[string]any{}})
	f.call(time.Minute, "session.subscribe", map[string]any{"events": []string{"log.entryAdded",
		"network.beforeRequestSent"}})
	f.call(time.Minute, "script.addPreloadScript", map[string]any{"functionDeclaration": "() => {" + siteJS + "}"})
	var tree struct{ Contexts []struct{ Context string } }
	err = json.Unmarshal(f.call(time.Minute, "browsingContext.getTree", map[string]any{}), &tree)
	must.Need(t, err == nil && len(tree.Contexts) != 0, "%v: no tab", err)
	f.tab = tree.Contexts[0].Context
	t.Cleanup(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, text := range f.wrong {
			t.Error(text)
		}
	})
	return f
}

// listen hands answers to those who wait, and keeps errors of the console and requests to other hosts, which fail the
// test.
func (f *firefox) listen() {
	for {
		var m bidiMessage
		if websocket.JSON.Receive(f.conn, &m) != nil {
			return
		}
		var event struct {
			Level, Text string
			Request     struct{ URL string }
		}
		f.mu.Lock()
		switch m.Method {
		case "":
			if waits := f.answers[m.ID]; waits != nil {
				waits <- m
				delete(f.answers, m.ID)
			}
		case "log.entryAdded":
			if json.Unmarshal(m.Params, &event) == nil && event.Level == "error" {
				f.wrong = append(f.wrong, "the console: "+event.Text)
			}
		case "network.beforeRequestSent":
			if err := json.Unmarshal(m.Params, &event); err != nil || strings.HasPrefix(event.Request.URL, "http") &&
				!strings.HasPrefix(event.Request.URL, f.url) {
				f.wrong = append(f.wrong, "a request to another host: "+event.Request.URL)
			}
		}
		f.mu.Unlock()
	}
}

// call sends a command and waits for its result.
func (f *firefox) call(limit time.Duration, method string, params map[string]any) json.RawMessage {
	f.t.Helper()
	waits := make(chan bidiMessage, 1)
	f.mu.Lock()
	f.last++
	id := f.last
	f.answers[id] = waits
	f.mu.Unlock()
	must.Do(f.t, websocket.JSON.Send(f.conn, map[string]any{"id": id, "method": method, "params": params}))
	select {
	case m := <-waits:
		if m.Type == "error" {
			f.t.Fatalf("%s: %s: %s", method, m.Error, m.Message)
		}
		return m.Result
	case <-time.After(limit):
		f.t.Fatalf("%s: no answer in %v", method, limit)
		return nil
	}
}

func (f *firefox) test() *testing.T { return f.t }

func (f *firefox) visit(name string) {
	f.t.Helper()
	f.call(time.Minute, "browsingContext.navigate",
		map[string]any{"context": f.tab, "url": f.url + name, "wait": "complete"})
}

func (f *firefox) reload() {
	f.t.Helper()
	f.call(time.Minute, "browsingContext.reload", map[string]any{"context": f.tab, "wait": "complete"})
}

func (f *firefox) shot(string) {} // its pictures are those of Chromium

// ask evaluates an expression whose promise brings a text.
func (f *firefox) ask(limit time.Duration, expression string) string {
	f.t.Helper()
	var got struct {
		Type             string
		Result           struct{ Value string }
		ExceptionDetails struct{ Text string }
	}
	data := f.call(limit, "script.evaluate", map[string]any{"expression": expression,
		"target": map[string]any{"context": f.tab}, "awaitPromise": true})
	err := json.Unmarshal(data, &got)
	if err == nil && got.Type != "success" {
		err = errors.New(got.ExceptionDetails.Text)
	}
	if err != nil {
		f.t.Fatal(fmt.Errorf("%s: %w", expression, err))
	}
	return got.Result.Value
}

// TestSiteFirefox opens lessons in Firefox, as TestSite does in Chromium.
func TestSiteFirefox(t *testing.T) {
	beside(t)
	shots(t)
	dir := sited(t, lessons(t)[:4]...)
	for _, name := range []string{"00-ten-rates.html", "01-conjugacy-and-evidence.html", "02-links.html",
		"03-gp-benchmark.html"} {
		t.Run(strings.TrimSuffix(name, ".html"), func(t *testing.T) {
			p := hostFirefox(t, dir)
			p.visit(name)
			liveLesson(p, name)
			cells := in[[]string](p, time.Minute, "cells")
			for _, cell := range cells {
				lastValue(p, cell, 2)
			}
			p.reload()
			t.Logf("live again %.0f ms after a reload", in[float64](p, 2*time.Minute, "live", cells[0], 90000))
		})
	}
}
