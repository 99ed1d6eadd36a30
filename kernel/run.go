package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/expfam/lab/internal/safefile"
	"github.com/expfam/lab/kernel/ipynb"
	"github.com/expfam/lab/kernel/jupyter"
	"github.com/expfam/lab/kernel/page"
)

// superviseVerb is the verb by which this program starts itself between run and a kernel, see jupyter.Supervise.
const superviseVerb = "supervise"

// startTimeout is how long a kernel may take until it answers; a second is usual.
const startTimeout = time.Minute

// run is the verb: it executes notebooks and writes their outputs.
func run(ctx context.Context, args []string) error {
	flags := newFlags("run")
	timeout := flags.Duration("timeout", 10*time.Minute, "stop a cell that takes longer")
	html := flags.Bool("html", true, "write a standalone HTML page beside the notebook")
	live := flags.String("live", "", "what makes figures live in the page without a kernel: in, a program in the page's file; beside, one in a folder beside it, for a server of files")
	check := flags.Bool("check", false, "execute without writing anything")
	out := flags.String("out", "", "write the executed notebook here, also into a pipe or /dev/stdout, and leave NOTEBOOK as it is")
	set := settings{}
	flags.Var(set, "set", "NAME=VALUE of a parameter, a constant or variable that a cell tagged "+parametersTag+
		" declares; may be repeated, needs -out or -check (environment: "+setEnv+"NAME)")
	paths, err := parseMixed(flags, args)
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return errors.New("run needs a notebook: kernel run notebooks/NAME.ipynb")
	}
	set.addEnv(os.Environ())
	if !slices.Contains([]string{"", liveIn, liveBeside}, *live) {
		return fmt.Errorf("run -live takes %s or %s, not %q", liveIn, liveBeside, *live)
	}
	if *out != "" && len(paths) > 1 {
		return fmt.Errorf("run -out takes one notebook, not %d", len(paths))
	}
	if len(set) > 0 && *out == "" && !*check {
		return errors.New("run with parameters would change the notebook: give -out FILE for what it becomes, or -check")
	}
	notebooks := make([]*ipynb.Notebook, len(paths))
	for i, path := range paths { // a wrong name should not show after minutes
		notebooks[i], err = ipynb.Read(path)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("there is no notebook %s: give its path, such as notebooks/NAME.ipynb", path)
		}
		if err != nil {
			return err
		}
		if err := set.apply(notebooks[i]); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	targets := paths
	if *out != "" {
		targets = []string{*out}
	}
	if !*check {
		for _, path := range targets { // nor should that the result can't be written
			if err := writable(path); err != nil {
				return err
			}
		}
	}
	said := os.Stdout
	if *out != "" && safefile.Streams(*out) {
		// A pipe or a device gets the notebook alone.
		said, *html = os.Stderr, false
	}
	in, err := newInstaller(ctx, said)
	if err != nil {
		return err
	}
	if err := in.ensure(ctx); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	spec := newSpec(in.co, in.env, in.bin())
	spec.Env[liveEnv] = "off"
	scripts := page.Scripts{Libraries: map[string][]byte{"echarts": echartsSource()}}
	for i, path := range paths {
		r := &runner{
			out: newProgress(said), timeout: *timeout,
			spec: jupyter.Spec{
				Argv: spec.Argv, Env: spec.Env, Dir: filepath.Dir(path), Supervisor: []string{self, superviseVerb},
			},
		}
		ran, err := r.execute(ctx, path, notebooks[i])
		if err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
		if !*check && (ran || err == nil) { // what ran before a failure took its time too
			own := scripts
			if err == nil && *html && *live != "" {
				own.Live, err = livePage(ctx, said, path, targets[i], notebooks[i], *live)
			}
			err = errors.Join(err, write(notebooks[i], targets[i], *html, own))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
