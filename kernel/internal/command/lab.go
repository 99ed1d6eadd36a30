package command

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/expfam/lab/kernel/internal/jupyter"
)

// serveVerb is the verb by which this program starts itself between lab and JupyterLab, see jupyter.SuperviseServer.
const serveVerb = "supervise-server"

const (
	tokenEnv      = "JUPYTER_TOKEN" // unlike an argument, other users of the machine can't see it
	answerTimeout = 2 * time.Minute // a first start compiles JupyterLab's Python; seconds are usual
)

// lab executes the verb lab: it starts JupyterLab, for this machine only, in the notebooks' folder.
func lab(ctx context.Context, args []string) error {
	flags := newFlags("lab")
	path := flags.String("jupyter", os.Getenv(jupyterEnv), "the jupyter-lab to start, also from "+jupyterEnv+
		"; by default the one that is found or set up")
	port := flags.Int("port", 8888, "port on 127.0.0.1, the next free one if it is taken; 0 means any")
	browser := flags.Bool("browser", true, "open a browser")
	if err := parse(flags, args); err != nil {
		return err
	}
	if *port < 0 || *port > 65535 { // setting JupyterLab up takes minutes
		return fmt.Errorf("port %d: take one from 1 to 65535, or 0 for any", *port)
	}
	if err := fit(); err != nil {
		return err
	}
	in, err := newInstaller(ctx, os.Stdout)
	if err != nil {
		return err
	}
	jl, err := findLab(ctx, *path)
	if errors.Is(err, errNoLab) {
		if rec := in.record(); in.pip == nil {
			in.announce(append([]string{labStep}, in.missingSteps(rec)...), rec)
		}
		jl, err = in.setUpLab(ctx)
	}
	if err != nil {
		return err
	}
	if err := in.ensure(ctx); err != nil {
		return err
	}
	free, err := freePort(*port)
	if err != nil {
		return err
	}
	sockets, remove, err := socketFolder()
	if err != nil {
		return err
	}
	defer remove()
	spec, folder, err := in.labSpec(jl, free, *browser, sockets, flags.Args())
	if err != nil {
		return err
	}
	return serve(ctx, spec, fmt.Sprintf("http://127.0.0.1:%d", free),
		fmt.Sprintf("JupyterLab %s in %s", jl.version, folder))
}

// labSpec returns how to start JupyterLab, whose kernels have their sockets in a folder, and the folder that it shows.
func (in *installer) labSpec(jl jupyterLab, port int, browser bool, sockets string, more []string) (jupyter.Spec,
	string, error) {
	self, err := os.Executable()
	if err != nil {
		return jupyter.Spec{}, "", err
	}
	data, err := dataDir()
	if err != nil {
		return jupyter.Spec{}, "", err
	}
	folder := filepath.Join(in.co.dir, "notebooks")
	if _, err := os.Stat(folder); err != nil {
		folder = in.co.dir
	}
	if in.co.cached() {
		if folder, err = os.Getwd(); err != nil {
			return jupyter.Spec{}, "", err
		}
	}
	argv := append([]string{}, jl.argv...)
	argv = append(argv, "--ServerApp.ip=127.0.0.1", "--ServerApp.port="+strconv.Itoa(port),
		"--ServerApp.port_retries=0")
	given := func(name string) (value string, ok bool) { // JupyterLab refuses most arguments that come twice
		for _, arg := range more {
			if value, ok = strings.CutPrefix(arg, name+"="); ok {
				return value, true
			}
		}
		return "", false
	}
	if dir, ok := given("--ServerApp.root_dir"); ok {
		folder = dir
	} else {
		argv = append(argv, "--ServerApp.root_dir="+folder)
	}
	if _, ok := given("--log-level"); !ok {
		argv = append(argv, "--log-level=WARN") // what it says at the start would hide the URL
	}
	if _, ok := given(transportFlag); !ok {
		argv = append(argv, transportFlag+"=ipc") // over TCP, any process of this machine could connect to kernels
	}
	if !browser {
		argv = append(argv, "--no-browser")
	}
	if os.Geteuid() == 0 {
		argv = append(argv, "--allow-root") // in a container, mostly; 127.0.0.1 keeps others out
	}
	// first, before a kernelspec of the same name in the server's own environment
	env := map[string]string{runtimeEnv: sockets, "JUPYTER_PATH": data}
	if old := os.Getenv("JUPYTER_PATH"); old != "" {
		env["JUPYTER_PATH"] += string(os.PathListSeparator) + old
	}
	if env[tokenEnv] = os.Getenv(tokenEnv); env[tokenEnv] == "" {
		env[tokenEnv] = rand.Text()
	}
	return jupyter.Spec{Argv: append(argv, more...), Env: env, Supervisor: []string{self, serveVerb}}, folder, nil
}

// serve runs the server until it ends or ctx does, and prints its URL when it answers.
func serve(ctx context.Context, spec jupyter.Spec, url, what string) error {
	server, err := jupyter.StartServer(spec, os.Stdout, os.Stderr)
	if err != nil {
		return err
	}
	defer server.Stop()
	token := spec.Env[tokenEnv]
	status, err := awaitServer(ctx, server, url, token)
	if err != nil {
		return stopped(ctx, err)
	}
	page := url + "/lab?token=" + token
	if status != http.StatusOK {
		page = url + " (your Jupyter configuration says who may log in)"
	}
	fmt.Printf("\n%s; Ctrl-C ends it\n    %s\n\n", what, page)
	select {
	case <-ctx.Done():
		return nil // being told to end is how a server ends well
	case <-server.Ended():
		if err := server.Err(); err != nil {
			return fmt.Errorf("JupyterLab ended: %w", err)
		}
		return nil
	}
}

// stopped returns err, or nil if ctx has ended.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// awaitServer waits until the server answers, and returns the status of a request that carries the token.
func awaitServer(ctx context.Context, server *jupyter.Server, url, token string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	client := &http.Client{
		Transport:     &http.Transport{}, // no proxy: the server is here
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	defer client.CloseIdleConnections()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/api/status", nil)
		if err != nil {
			return 0, err
		}
		req.Header.Set("Authorization", "token "+token)
		if resp, err := client.Do(req); err == nil {
			resp.Body.Close()
			return resp.StatusCode, nil
		}
		select {
		case <-server.Ended():
			if err := server.Err(); err != nil {
				return 0, fmt.Errorf("JupyterLab ended before it answered: %w: what it printed above says why", err)
			}
			return 0, errors.New("JupyterLab ended before it answered")
		case <-ctx.Done():
			return 0, fmt.Errorf("JupyterLab doesn't answer at %s: %w", url, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// freePort returns the first free port of 127.0.0.1 from the given one on; for 0 it returns any free port.
func freePort(port int) (int, error) {
	const tries = 50
	var err error
	for p := port; p <= min(port+tries-1, 65535); p++ {
		var l net.Listener
		if l, err = net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(p))); err == nil {
			defer l.Close()
			return l.Addr().(*net.TCPAddr).Port, nil
		}
	}
	return 0, fmt.Errorf("no free port from %d on: %w: choose one with -port", port, err)
}
