package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// lab is the verb: it starts an installed JupyterLab, for this machine only, in the notebooks' folder.
func lab(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("kernel lab", flag.ContinueOnError)
	port := flags.Int("port", 8888, "port on 127.0.0.1; JupyterLab takes the next free one if it is taken")
	browser := flags.Bool("browser", true, "open a browser")
	if err := flags.Parse(args); err != nil {
		return err
	}
	argv, err := jupyterLab()
	if err != nil {
		return err
	}
	in, err := newInstaller(ctx, os.Stdout)
	if err != nil {
		return err
	}
	if err := in.ensure(ctx); err != nil {
		return err
	}
	folder := filepath.Join(in.co.dir, "notebooks")
	if _, err := os.Stat(folder); err != nil {
		folder = in.co.dir
	}
	argv = append(argv, "--ServerApp.ip=127.0.0.1", "--ServerApp.port="+strconv.Itoa(*port), "--ServerApp.root_dir="+folder)
	if !*browser {
		argv = append(argv, "--no-browser")
	}
	if os.Geteuid() == 0 {
		argv = append(argv, "--allow-root") // in a container, mostly; 127.0.0.1 keeps others out
	}
	argv = append(argv, flags.Args()...) // after --: JupyterLab's own
	fmt.Println("JupyterLab in", folder, "(Ctrl-C twice ends it)")
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	// A terminal sends Ctrl-C to JupyterLab itself, which then asks; only a signal to this process has to be passed on.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	return cmd.Run()
}

// jupyterLab is the command that starts JupyterLab; Debian's package has no `jupyter`.
func jupyterLab() ([]string, error) {
	if path, err := exec.LookPath("jupyter-lab"); err == nil {
		return []string{path}, nil
	}
	if path, err := exec.LookPath("jupyter"); err == nil && exec.Command(path, "lab", "--version").Run() == nil {
		return []string{path, "lab"}, nil
	}
	return nil, errors.New("JupyterLab is not on PATH: `pip install jupyterlab` in a Python environment puts it there (run needs none)")
}
