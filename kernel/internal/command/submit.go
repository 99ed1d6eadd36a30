package command

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/expfam/lab/kernel/internal/cluster"
	"github.com/expfam/lab/kernel/internal/ipynb"
)

// The parameters that submit sets by itself, in notebooks that declare them.
const (
	sharesParameter = "shares"
	folderParameter = "folder"
)

// submission is what the command line of submit asks for.
type submission struct {
	notebook string // path
	shares   int    // number of shares
	folder   string // absolute path of the job's folder
	over     string // parameter of the notebook that is the number of the share
	merge    string // path of the notebook that merges the shares; "" for none
	timeout  time.Duration
	retries  int
	wait     bool
	set      settings
	on       string   // slurm, local, kubernetes or command
	sbatch   []string // from behind --: flags of sbatch, or the command
	pods     cluster.Kubernetes
}

// submit executes the verb submit: it executes shares of a notebook on a cluster.
func submit(ctx context.Context, args []string) error {
	s, err := parseSubmission(args)
	if err != nil {
		return err
	}
	job, err := s.job()
	if err != nil {
		return err
	}
	if s.on == onKubernetes {
		text, err := s.pods.Manifest(job, s.folder)
		if err == nil {
			_, err = os.Stdout.WriteString(text)
		}
		return err
	}
	on := s.scheduler()
	if err := on.Answers(ctx); err != nil { // before minutes of installing
		return err
	}
	in, err := newInstaller(ctx, os.Stdout)
	if err != nil {
		return err
	}
	if err := in.ensure(ctx); err != nil {
		return err
	}
	return s.run(ctx, job, on, filepath.Join(in.bin(), kernelProgram))
}

// parseSubmission reads the command line of submit, and the parameters that the environment sets.
func parseSubmission(args []string) (submission, error) {
	s := submission{set: settings{}}
	if at := slices.Index(args, "--"); at >= 0 {
		args, s.sbatch = args[:at], args[at+1:]
	}
	flags := newFlags("submit")
	flags.IntVar(&s.shares, "shares", 0, "how many shares, numbered from 0; a notebook with a parameter "+
		sharesParameter+" gets it")
	flags.StringVar(&s.folder, "out", "", "folder of the job, new or that of the same job, on a file system that "+
		"all nodes have; a notebook with a parameter "+folderParameter+" gets it")
	flags.StringVar(&s.over, "over", "share",
		"the parameter of the notebook that is the number of a share: a share of draws, a data set, a seed")
	flags.StringVar(&s.on, "on", onSlurm, "what runs the shares: slurm; local, which is this machine; kubernetes, "+
		"whose manifest is written to standard output; or command, the command of another scheduler behind --, such "+
		"as `-- qsub {run}`")
	flags.StringVar(&s.merge, "merge", "", "notebook to execute when all shares are there")
	flags.DurationVar(&s.timeout, "timeout", 24*time.Hour, "stop a cell that takes longer")
	flags.IntVar(&s.retries, "retries", 2, "submit a share that failed again, so many times")
	flags.BoolVar(&s.wait, "wait", true, "wait for the end and submit again what fails; without it, submit shares "+
		"and merge and return")
	flags.Var(s.set, "set", "NAME=VALUE of a parameter of the notebook, of the merge or of both; may be repeated "+
		"(environment: "+setEnv+"NAME)")
	paths, err := parseMixed(flags, args)
	if err != nil {
		return s, err
	}
	if len(paths) != 1 || s.shares < 1 || s.folder == "" || s.retries < 0 {
		return s, errors.New("submit needs one notebook, a number of shares and a folder: " +
			call("submit -shares 8 -out FOLDER NOTEBOOK"))
	}
	switch {
	case !slices.Contains([]string{onSlurm, onLocal, onKubernetes, onCommand}, s.on):
		return s, fmt.Errorf("submit -on takes slurm, local, kubernetes or command, not %q; deploy/README.md has the "+
			"commands of other schedulers", s.on)
	case s.on == onLocal && len(s.sbatch) > 0:
		return s, errors.New("submit -on local takes nothing behind --")
	case s.on == onCommand:
		if err := (cluster.Command{Words: s.sbatch}).Check(); err != nil {
			return s, err
		}
	}
	s.notebook = paths[0]
	s.set.addEnv(os.Environ())
	if s.on == onKubernetes {
		return s, s.parsePods()
	}
	s.folder, err = filepath.Abs(s.folder)
	return s, err
}

// parsePods reads what stands behind --: flags that say what pods are like.
func (s *submission) parsePods() error {
	flags := newFlags("submit -on kubernetes")
	k := &s.pods
	flags.StringVar(&k.Image, "image", "expfam/lab", "image of the pods")
	flags.StringVar(&k.Claim, "claim", "expfam-draws", "claim of the volume that is mounted at -out")
	flags.StringVar(&k.Storage, "storage", "", "make the claim, of this size, such as 10Gi")
	flags.IntVar(&k.CPUs, "cpus", 2, "processors of a share")
	flags.StringVar(&k.Memory, "memory", "4Gi", "memory of a share")
	flags.IntVar(&k.GPUs, "gpus", 0, "GPUs of a share")
	k.Retries, k.Deadline = s.retries, s.timeout
	more, err := parseMixed(flags, s.sbatch)
	if err == nil && len(more) > 0 {
		return fmt.Errorf("submit -on kubernetes takes flags alone behind --, such as -memory 8Gi, not %s", more[0])
	}
	return err
}

// What runs the shares.
const (
	onSlurm      = "slurm"
	onLocal      = "local"
	onKubernetes = "kubernetes" // writes a manifest, and submits nothing
	onCommand    = "command"
)

// scheduler returns what runs the shares.
func (s submission) scheduler() cluster.Scheduler {
	switch s.on {
	case onLocal:
		return &cluster.Local{}
	case onCommand:
		return cluster.Command{Words: s.sbatch}
	}
	return cluster.Slurm{Flags: s.sbatch}
}

// job returns the job of the submission. It checks that the notebooks accept the values of their parameters.
func (s submission) job() (cluster.Job, error) {
	job := cluster.Job{Name: "expfam-" + sum(s.folder)[:8], Shares: s.shares, Over: s.over, Sbatch: s.sbatch}
	used := map[string]bool{}
	given := map[string]string{sharesParameter: strconv.Itoa(s.shares), folderParameter: s.folder}
	var err error
	if job.Share, err = programOf(s.notebook, s.set, given, s.over, used); err != nil {
		return job, err
	}
	job.Share.Timeout = "-timeout=" + s.timeout.String()
	if s.merge != "" {
		p, err := programOf(s.merge, s.set, given, "", used)
		if err != nil {
			return job, err
		}
		p.Timeout = job.Share.Timeout
		job.Merge = &p
	}
	for _, name := range slices.Sorted(maps.Keys(s.set)) {
		if !used[name] {
			return job, fmt.Errorf("parameter %s: neither %s nor a merge declares it", name, s.notebook)
		}
	}
	return job, nil
}

// run runs the job, whose nodes start the program kernel. It shows the progress and, at the end, where and how long
// each share ran.
func (s submission) run(ctx context.Context, job cluster.Job, on cluster.Scheduler, kernel string) error {
	// Nodes get this environment. The job's flags have its parameters already, each for the notebook that declares it;
	// The verb run would refuse a share for a parameter of the merge.
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, setEnv) {
			if err := os.Unsetenv(name); err != nil {
				return err
			}
		}
	}
	shown := newStatus(os.Stdout)
	fmt.Printf("%d shares of %s, %s\n", s.shares, s.notebook, job.Name)
	ends, err := job.Run(ctx, cluster.Options{
		Kernel: kernel, Folder: s.folder, Retries: s.retries, Detach: !s.wait, Show: showJob(shown),
		On: on,
	})
	shown.clear()
	if err != nil {
		return err
	}
	if !s.wait {
		fmt.Println("the same command without -wait=false watches them, and submits again what fails")
		return nil
	}
	for _, e := range ends {
		fmt.Printf("  %-10s %8.1f s  on %s\n", e.Name, e.Seconds, e.Node)
	}
	fmt.Printf("  all in %s\n", s.folder)
	return nil
}

// showJob shows how far a job has come: on a terminal whenever that is known, elsewhere when something changes.
func showJob(s *status) func(cluster.Progress) {
	last := ""
	return func(p cluster.Progress) {
		text := fmt.Sprintf("%d of %d done, %d run, %d wait", p.Done, p.Shares, p.Running, p.Waiting)
		if p.Waiting > 0 && p.Reason != "" && p.Reason != "None" {
			text += " (" + p.Reason + ")"
		}
		if p.Merging {
			text += ", the merge runs"
		}
		if p.Trouble != "" {
			s.clear()
			fmt.Fprintf(s.out, "  %s\n", p.Trouble)
		}
		if s.terminal || text != last {
			s.show(fmt.Sprintf("  %4.0f s  %s", p.Seconds, text))
		}
		last = text
	}
}

// programOf returns a notebook with the flags that set its parameters. The values in set are for the parameters that
// the notebook declares; programOf marks in used which of them it takes. The values in given go to every notebook that
// declares the parameters. Each node sets the parameter over to a number that it knows.
func programOf(path string, set settings, given map[string]string, over string, used map[string]bool) (cluster.Program,
	error) {
	var p cluster.Program
	nb, err := readGo(path)
	if err != nil {
		return p, err
	}
	if p.Notebook, err = filepath.Abs(path); err != nil {
		return p, err
	}
	var text strings.Builder
	for _, cell := range nb.Cells {
		if cell.Type == ipynb.Code {
			fmt.Fprintf(&text, "%q\n", cell.Source)
		}
	}
	p.Sum = sum(text.String())
	params, err := parametersOf(nb)
	if err != nil {
		return p, fmt.Errorf("%s: %w", path, err)
	}
	values := settings{}
	for _, param := range params {
		if value, is := set[param.name]; is {
			used[param.name] = true
			values[param.name] = value
		}
		if value, is := given[param.name]; is {
			if _, also := set[param.name]; also {
				return p, fmt.Errorf("parameter %s: submit sets it by itself, by -shares or -out", param.name)
			}
			values[param.name] = value
		}
	}
	if _, also := values[over]; also {
		return p, fmt.Errorf("parameter %s: every node sets it to the number of its share; leave it out", over)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		p.Flags = append(p.Flags, "-set="+name+"="+values[name])
	}
	if over != "" {
		values[over] = "0"
	}
	if err := values.apply(nb); err != nil { // here and not on every node
		return p, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// sum returns the SHA-256 hash of a text, in hexadecimal digits.
func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}
