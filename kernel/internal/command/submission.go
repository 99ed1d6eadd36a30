package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/expfam/lab/kernel/internal/cluster"
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
	case s.timeout <= 0: // here and not on every node
		return s, fmt.Errorf("submit -timeout is the longest that a cell may take, and %v is none: give a positive "+
			"time, such as 30m", s.timeout)
	case !slices.Contains([]string{onSlurm, onLocal, onKubernetes, onCommand}, s.on):
		return s, fmt.Errorf("submit -on takes slurm, local, kubernetes or command, not %q; deploy/README.md has the "+
			"commands of other schedulers", s.on)
	case s.on == onLocal && len(s.sbatch) > 0:
		return s, errors.New("submit -on local takes nothing behind --")
	case s.on == onLocal && !s.wait:
		return s, errors.New("submit -on local has to wait, because the shares end with this program: leave " +
			"-wait=false out")
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
