package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Scheduler runs the shares of a job: [Slurm], [Local] or [Command].
type Scheduler interface {
	// Answers returns an error if shares cannot be given to it.
	Answers(ctx context.Context) error

	// queue returns what waits or runs.
	queue(ctx context.Context, w *watch) ([]task, error)
	// shares submits some shares, and returns the id of all, which merge may wait for.
	shares(ctx context.Context, w *watch, shares []int) (id string, err error)
	// merge submits the merge behind what was submitted.
	merge(ctx context.Context, w *watch, behind []string) error
	// hasten lets a task start now that waits for a time.
	hasten(ctx context.Context, t task)
	// follows reports whether merge may be called before the shares have ended.
	follows() bool
	// stop says how to end the shares by hand.
	stop(w *watch) string
}

// mergeName is the name of the merge where shares have their number.
const mergeName = "merge"

// indices are the variables in which schedulers tell a task of an array its number, with the number of the first task.
var indices = []struct {
	variable string
	first    int
}{
	{"SLURM_ARRAY_TASK_ID", 0}, {"PBS_ARRAY_INDEX", 0}, {"PBS_ARRAYID", 0}, {"SGE_TASK_ID", 1}, {"LSB_JOBINDEX", 1},
	{"AWS_BATCH_JOB_ARRAY_INDEX", 0}, {"JOB_COMPLETION_INDEX", 0}, {"OAR_ARRAY_INDEX", 1}, {"COBALT_JOBID_INDEX", 0},
}

// runScript writes the script that runs a share or the merge, and returns its path. The script of name "" is for an
// array: it takes the number of the share from the variable of the scheduler, or from its argument.
func (w *watch) runScript(name string) (string, error) {
	var b strings.Builder
	b.WriteString("#!/bin/sh\n")
	script, p := "share.sh", w.Share
	switch name {
	case mergeName:
		script, p = "merge.sh", *w.Merge
	case "":
		b.WriteString("EXPFAM_SHARE=$1\n")
		for _, i := range indices {
			// SGE sets the variable to "undefined" outside of an array.
			fmt.Fprintf(&b, "case ${%s:-} in *[!0-9]*|'') ;; *) "+
				"EXPFAM_SHARE=${EXPFAM_SHARE:-$((%s - %d))} ;; esac\n", i.variable, i.variable, i.first)
		}
		b.WriteString("export EXPFAM_SHARE\n")
	default:
		fmt.Fprintf(&b, "EXPFAM_SHARE=%s; export EXPFAM_SHARE\n", name)
	}
	// A share that is there is not done again: schedulers may start a task twice, and an array has all shares.
	mark := mergeName
	if name != mergeName {
		mark = "share-$EXPFAM_SHARE"
	}
	fmt.Fprintf(&b, "cd %s || exit\n[ ! -e \"log/%s.done\" ] || exit 0\nexec sh", quote(w.Folder), mark)
	words := []string{filepath.Join(w.Folder, script), w.Kernel, w.Folder}
	if name != mergeName {
		words = append(words, w.Over)
	}
	for _, word := range append(append(words, p.Notebook), p.args()...) {
		b.WriteString(" " + quote(word))
	}
	fmt.Fprintf(&b, " >>\"log/%s.log\" 2>&1\n", mark)
	path := filepath.Join(w.Folder, logFolder, "run.sh")
	if name != "" {
		path = filepath.Join(w.Folder, logFolder, "run-"+name+".sh")
	}
	if err := writeNew(path, b.String()); err != nil {
		return "", err
	}
	return path, os.Chmod(path, 0o755)
}

// quote writes a word for a shell.
func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
