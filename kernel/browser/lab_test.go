// Package browser tests notebooks where people see them: in a real JupyterLab, with the real kernel, in Chromium. It is
// a package of its own because of what chromedp weighs; its tests run with EXPFAM_TEST_BROWSER=1.
package browser

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/expfam/lab/internal/must"
)

const (
	testEnv = "EXPFAM_TEST_BROWSER" // 1 runs the tests; needs Chromium, installs JupyterLab
	homeEnv = "EXPFAM_BROWSER_HOME" // where to install, kept for the next run; by default a temporary folder
	// the URL, with its token, of a JupyterLab that runs, which is then used as it is
	serverEnv    = "EXPFAM_BROWSER_SERVER"
	rootEnv      = "EXPFAM_BROWSER_ROOT" // where the folder of that server is seen from here
	artifactsEnv = "EXPFAM_ARTIFACTS"    // where screenshots go; by default a temporary folder whose name is printed
	checkout     = "../.."
)

// server is JupyterLab as `expfam lab` starts it, in a folder of copies of the notebooks.
type server struct {
	url, token, root, shots string
}

// shots skips the test unless it is wanted, and makes the folder for its screenshots.
func shots(t *testing.T) string {
	t.Helper()
	if os.Getenv(testEnv) != "1" {
		t.Skipf("drives Chromium, and JupyterLab that it installs: set %s=1 to run this", testEnv)
	}
	dir := os.Getenv(artifactsEnv)
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "expfam-screenshots"); err != nil {
			t.Fatal(err)
		}
	}
	must.Do(t, os.MkdirAll(dir, 0o755))
	t.Log("screenshots are in ", dir)
	return dir
}

// beside lets a test run beside others, for the most part they wait: each has a browser of its own, and a JupyterLab
// with settings of its own, unless one that runs is given.
func beside(t *testing.T) {
	if os.Getenv(serverEnv) == "" {
		t.Parallel()
	}
}

// starting is held until JupyterLab is installed and runs.
var starting sync.Mutex

// start brings JupyterLab up. What it needs it installs in a home of its own; Go's caches are shared.
func start(t *testing.T) server {
	t.Helper()
	s := server{root: os.Getenv(rootEnv), shots: shots(t)}
	if running := os.Getenv(serverEnv); running != "" {
		s.url, s.token, _ = strings.Cut(running, "/lab?token=")
		return s
	}
	s.root = t.TempDir()
	home := os.Getenv(homeEnv)
	if home == "" {
		var err error
		if home, err = os.MkdirTemp("", "b"); err != nil { // short, for the sockets below it
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(home) })
	}
	must.Do(t, os.CopyFS(filepath.Join(s.root, "notebooks"), os.DirFS(filepath.Join(checkout, "notebooks"))))
	starting.Lock()
	defer starting.Unlock()
	bin := filepath.Join(t.TempDir(), "kernel")
	if out, err := exec.Command("go", "build", "-o", bin, checkout+"/kernel").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// The app's object in the page lets the test run commands by name instead of hunting for menus.
	cmd := exec.Command(bin, "lab", "-port", "0", "-browser=false", "--", "--ServerApp.root_dir="+s.root,
		"--LabApp.expose_app_in_browser=True")
	cmd.Dir = checkout
	cmd.Env = environment(t, home)
	out := must.Get(cmd.StdoutPipe())(t)
	cmd.Stderr = os.Stderr
	must.Do(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
	})
	var printed strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan(); {
		fmt.Fprintln(&printed, lines.Text())
		if url, token, ok := strings.Cut(strings.TrimSpace(lines.Text()), "/lab?token="); ok {
			s.url, s.token = url, token
			go func() {
				for lines.Scan() {
				}
			}()
			return s
		}
	}
	t.Fatalf("no URL in:\n%s", printed.String())
	return s
}

// environment is that of a command which installs what it needs in a home of its own, with settings of the test alone;
// Go's caches are shared.
func environment(t *testing.T, home string) []string {
	t.Helper()
	env := append(os.Environ(), "HOME="+home, "JUPYTER_DATA_DIR="+home+"/jupyter", "JUPYTER_CONFIG_DIR="+t.TempDir())
	if os.Getenv("EXPFAM_STORE") == "" {
		env = append(env, "EXPFAM_STORE="+home+"/store")
	}
	for _, name := range []string{"GOPATH", "GOCACHE", "GOMODCACHE"} {
		value := must.Get(exec.Command("go", "env", name).Output())(t)
		env = append(env, name+"="+strings.TrimSpace(string(value)))
	}
	return env
}

// page is a tab of a browser that reaches nothing but this machine.
type page struct {
	server
	t   *testing.T
	ctx context.Context
}

// browse opens a browser with an empty profile. A request to any other host fails the test, and would fail itself.
func (s server) browse(t *testing.T) page {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("no-proxy-server", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"), chromedp.WindowSize(1300, 1000))
	alloc, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(alloc)
	t.Cleanup(end)
	err := chromedp.Listen(ctx, func(event any) { // starts the browser, which lasts as long as ctx
		url := ""
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			url = e.Request.URL
		case *network.EventWebSocketCreated:
			url = e.URL
		}
		scheme, rest, _ := strings.Cut(url, "://")
		if slices.Contains([]string{"http", "https", "ws", "wss"}, scheme) && !strings.HasPrefix(rest, "127.0.0.1:") {
			t.Errorf("a request to another host: %s", url)
		}
	})
	if err == nil {
		_, err = chromedp.Call(ctx, network.Enable, network.EnableParams{})
	}
	must.Need(t, err == nil, "%v: Chromium is needed, as `apt-get install chromium` puts it on PATH", err)
	return page{server: s, t: t, ctx: ctx}
}

// do runs an action on the page and fails the test when it fails or takes too long.
func do[T any](p page, limit time.Duration, action chromedp.Action[T]) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, limit)
	defer cancel()
	result, err := chromedp.Run(ctx, action)
	if err != nil {
		p.shot("failed")
		p.t.Fatal(err)
	}
	return result
}

// js calls a function of notebook.js with arguments and decodes what its promise brings.
func js[T any](p page, limit time.Duration, call string, args ...any) (result T) {
	p.t.Helper()
	list := make([]string, len(args))
	for i, arg := range args {
		data := must.Get(json.Marshal(arg))(p.t)
		list[i] = string(data)
	}
	text := do(p, limit, chromedp.Evaluate[string](
		fmt.Sprintf("(async () => JSON.stringify(await lab.%s(%s)) ?? 'null')()", call, strings.Join(list, ",")),
		chromedp.EvalAwaitPromise))
	if err := json.Unmarshal([]byte(text), &result); err != nil {
		p.t.Fatalf("%s: %v in %s", call, err, text)
	}
	return result
}

// shot saves what the window shows.
func (p page) shot(name string) {
	ctx, cancel := context.WithTimeout(p.ctx, 30*time.Second)
	defer cancel()
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	name = strings.NewReplacer("/", "-", " ", "-").Replace(p.t.Name() + "-" + name)
	if err == nil {
		err = os.WriteFile(filepath.Join(p.shots, strings.TrimPrefix(name, "Test")+".png"), png, 0o644)
	}
	must.Be(p.t, err == nil, "screenshot %s: %v", name, err)
}

// size sets the size of the window.
func (p page) size(width, height int64) {
	p.t.Helper()
	do(p, time.Minute, chromedp.EmulateViewport(width, height))
}
