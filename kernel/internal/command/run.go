package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/expfam/lab/internal/safefile"
	"github.com/expfam/lab/kernel/internal/ipynb"
	"github.com/expfam/lab/kernel/internal/jupyter"
	"github.com/expfam/lab/kernel/internal/page"
)

// superviseVerb is the verb by which this program starts itself between run and a kernel, see jupyter.Supervise.
const superviseVerb = "supervise"

// startTimeout is how long a kernel may take until it answers; a second is usual.
const startTimeout = time.Minute

// order is what somebody asks run to do.
type order struct {
	paths     []string
	notebooks []*ipynb.Notebook // the notebooks at paths, with the settings applied
	targets   []string          // paths to which they are written, unless check is set
	timeout   time.Duration
	html      bool
	live      string
	check     bool
	said      *os.File // where run says how far it is
}

// run executes the verb run: it executes notebooks and writes their outputs.
func run(ctx context.Context, args []string) error {
	o, err := orderOf(args)
	if err != nil {
		return err
	}
	return o.run(ctx)
}

// run executes the notebooks and writes the results.
func (o *order) run(ctx context.Context) error {
	if err := fit(); err != nil {
		return err
	}
	in, err := newInstaller(ctx, o.said)
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
	for i, path := range o.paths {
		r := &runner{
			out: newProgress(o.said), timeout: o.timeout,
			spec: jupyter.Spec{
				Argv: spec.Argv, Env: spec.Env, Dir: filepath.Dir(path), Supervisor: []string{self, superviseVerb},
			},
		}
		if err := o.execute(ctx, r, i, scripts); err != nil {
			return err
		}
	}
	return nil
}

// orderOf reads the arguments and the notebooks that they name.
func orderOf(args []string) (*order, error) {
	o := &order{said: os.Stdout}
	flags := newFlags("run")
	flags.DurationVar(&o.timeout, "timeout", 10*time.Minute, "stop a cell that takes longer")
	flags.BoolVar(&o.html, "html", true, "write a standalone HTML page beside the notebook")
	flags.StringVar(&o.live, "live", "", "what makes figures live in the page without a kernel: in, a program in "+
		"the page's file; beside, one in a folder beside it, for a server of files")
	flags.BoolVar(&o.check, "check", false, "execute without writing anything")
	out := flags.String("out", "", "write the executed notebook here, also into a pipe or /dev/stdout, and leave "+
		"NOTEBOOK as it is")
	set := settings{}
	flags.Var(set, "set", "NAME=VALUE of a parameter, a constant or variable that a cell tagged "+parametersTag+
		" declares; may be repeated, needs -out or -check (environment: "+setEnv+"NAME). As papermill has it: "+
		"IN.ipynb OUT.ipynb -p NAME VALUE")
	args, err := papermill(args)
	if err != nil {
		return nil, err
	}
	if o.paths, err = parseMixed(flags, args); err != nil {
		return nil, err
	}
	set.addEnv(os.Environ())
	switch {
	case len(o.paths) == 0:
		return nil, errors.New("run needs a notebook: " + call("run NAME.ipynb"))
	case o.timeout <= 0:
		return nil, fmt.Errorf("run -timeout is the longest that a cell may take, and %v is none: give a positive "+
			"time, such as 30m", o.timeout)
	case !slices.Contains([]string{"", liveIn, liveBeside}, o.live):
		return nil, fmt.Errorf("run -live takes %s or %s, not %q", liveIn, liveBeside, o.live)
	case o.live != "" && (o.check || !o.html):
		return nil, errors.New("run -live makes a page live: leave -check and -html=false out")
	case *out != "" && len(o.paths) > 1:
		return nil, fmt.Errorf("run -out takes one notebook, not %d", len(o.paths))
	case len(set) > 0 && *out == "" && !o.check:
		return nil, errors.New("run with parameters would change the notebook: give -out FILE for the result, or " +
			"-check")
	}
	if err := o.read(set); err != nil {
		return nil, err
	}
	o.targets = o.paths
	if *out != "" {
		o.targets = []string{*out}
	}
	if !o.check {
		for _, path := range o.targets { // a result that can't be written should not show after minutes
			if err := writable(path); err != nil {
				return nil, err
			}
		}
	}
	if *out != "" && safefile.Streams(*out) {
		// A pipe or a device gets the notebook alone.
		o.said, o.html = os.Stderr, false
	}
	return o, nil
}

// read reads the notebooks and applies the settings at once: a wrong name should not show after minutes.
func (o *order) read(set settings) error {
	for _, path := range o.paths {
		nb, err := readGo(path)
		if err != nil {
			return err
		}
		if err := set.apply(nb); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		o.notebooks = append(o.notebooks, nb)
	}
	return nil
}

// readGo reads a notebook whose metadata name no other language than Go.
func readGo(path string) (*ipynb.Notebook, error) {
	nb, err := ipynb.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the notebook %s does not exist: give its path, such as notebooks/NAME.ipynb", path)
	}
	if err != nil {
		return nil, err
	}
	if language := nb.Language(); language != "" && !strings.EqualFold(language, "go") {
		return nil, fmt.Errorf("%s: its cells are in %s, and this kernel executes Go: run it with the kernel of that "+
			"language, as by `jupyter nbconvert --execute`", path, language)
	}
	return nb, nil
}

// execute runs notebook i and writes the result.
func (o *order) execute(ctx context.Context, r *runner, i int, scripts page.Scripts) error {
	path, nb, target := o.paths[i], o.notebooks[i], o.targets[min(i, len(o.targets)-1)]
	ran, err := r.execute(ctx, path, nb)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	if o.check || !ran && err != nil { // what ran before a failure is written, because it took its time too
		return err
	}
	if err == nil && o.html && o.live != "" {
		scripts.Live, err = livePage(ctx, o.said, path, target, nb, o.live)
	}
	return errors.Join(err, write(nb, path, target, o.html, scripts))
}
