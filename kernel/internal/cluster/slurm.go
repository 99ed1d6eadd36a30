package cluster

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// task is a line of squeue: a share or a merge that waits or runs.
type task struct {
	id     string // "12_3", or "13" for a merge
	array  string // "12"
	share  int    // -1 for a merge
	state  string // PENDING, RUNNING, COMPLETING, …
	reason string // why it waits
}

func (t task) runs() bool { return t.state != "PENDING" }

// Slurm is the scheduler of clusters whose command to submit is sbatch.
type Slurm struct {
	Flags []string // the user's own flags of sbatch
}

// Answers returns an error if there is no cluster that answers.
func (Slurm) Answers(ctx context.Context) error {
	_, err := slurmCommand(ctx, "squeue", "--noheader", "--user="+strconv.Itoa(os.Getuid()))
	if err != nil && !errors.Is(err, errNoSlurm) {
		return fmt.Errorf("the cluster does not answer (%w): `sinfo` says more", err)
	}
	return err
}

// queue returns the tasks of the job that squeue lists. Those that ended are not among them.
func (Slurm) queue(ctx context.Context, w *watch) ([]task, error) {
	j := w.Job
	names := j.Name + "," + j.Name + "-merge"
	out, err := slurmCommand(ctx, "squeue", "--noheader", "--array", "--user="+strconv.Itoa(os.Getuid()),
		"--name="+names, "--format=%i|%F|%K|%T|%r")
	if err != nil {
		return nil, err
	}
	var tasks []task
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimSpace(line), "|")
		if len(f) != 5 {
			continue
		}
		t := task{id: f[0], array: f[1], share: -1, state: f[3], reason: f[4]}
		if i, err := strconv.Atoi(f[2]); err == nil {
			t.share = i
		}
		tasks = append(tasks, t)
	}
	return tasks, nil
}

// shares gives some shares to Slurm, as one array, and returns its id.
func (s Slurm) shares(ctx context.Context, w *watch, shares []int) (string, error) {
	j, kernel, folder := w.Job, w.Kernel, w.Folder
	args := []string{"--parsable", "--job-name=" + j.Name, "--array=" + numbers(shares), "--output=" +
		log(folder, "share-%a")}
	args = append(append(args, s.Flags...), filepath.Join(folder, "share.sh"), kernel, folder, j.Over,
		j.Share.Notebook)
	return submitted(slurmCommand(ctx, "sbatch", append(args, j.Share.args()...)...))
}

// merge gives the merge to Slurm, to be run when all tasks of the arrays in behind have ended well.
func (s Slurm) merge(ctx context.Context, w *watch, behind []string) error {
	j, kernel, folder := w.Job, w.Kernel, w.Folder
	args := []string{"--parsable", "--job-name=" + j.Name + "-merge", "--output=" + log(folder, "merge")}
	if len(behind) > 0 {
		args = append(args, "--dependency=afterok:"+strings.Join(behind, ":"), "--kill-on-invalid-dep=yes")
	}
	args = append(append(args, s.Flags...), filepath.Join(folder, "merge.sh"), kernel, folder, j.Merge.Notebook)
	_, err := submitted(slurmCommand(ctx, "sbatch", append(args, j.Merge.args()...)...))
	return err
}

// hasten lets a task start as soon as there is a node for it. Slurm by itself starts a task whose node failed only some
// minutes later.
func (Slurm) hasten(ctx context.Context, t task) {
	// if this fails, the task starts later
	_, _ = slurmCommand(ctx, "scontrol", "update", "JobId="+t.id, "StartTime=now")
}

// log returns the path of a log for sbatch, in which each % of the folder's name is doubled so that it stays a %.
func log(folder, name string) string {
	return strings.ReplaceAll(filepath.Join(folder, logFolder), "%", "%%") + "/" + name + ".log"
}

// submitted returns the id of a job in what sbatch --parsable prints: "12", or "12;cluster".
func submitted(out string, err error) (string, error) {
	id, _, _ := strings.Cut(strings.TrimSpace(out), ";")
	return id, err
}

// numbers returns array indices as sbatch takes them: "0-3,5".
func numbers(sorted []int) string {
	var parts []string
	for i := 0; i < len(sorted); {
		k := i
		for k+1 < len(sorted) && sorted[k+1] == sorted[k]+1 {
			k++
		}
		part := strconv.Itoa(sorted[i])
		if k > i {
			part += "-" + strconv.Itoa(sorted[k])
		}
		parts = append(parts, part)
		i = k + 1
	}
	return strings.Join(parts, ",")
}

// stop returns the command by which shares are ended that nobody watches.
func (Slurm) stop(w *watch) string {
	return fmt.Sprintf("`scancel --name=%s,%s-merge`", w.Name, w.Name)
}

// follows reports that the merge may be submitted before the shares have ended.
func (Slurm) follows() bool { return true }

// commandTimeout is how long Slurm may take to answer; a second is much.
const commandTimeout = time.Minute

var errNoSlurm = errors.New("there is no Slurm here, because sbatch is not on PATH: run this on a login node of " +
	"the cluster")

// slurmCommand runs one of Slurm's commands and returns its output. An error is what the command said, in one line.
func slurmCommand(ctx context.Context, name string, args ...string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", errNoSlurm
	}
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if err == nil {
		return stdout.String(), nil
	}
	if ctx.Err() != nil {
		return "", fmt.Errorf("%s: %w", name, ctx.Err())
	}
	said := strings.TrimSpace(stderr.String())
	said = said[strings.LastIndexByte(said, '\n')+1:]
	if _, after, found := strings.Cut(said, "error: "); found { // "sbatch: error: …", "slurm_load_jobs error: …"
		said = after
	}
	return "", fmt.Errorf("%s: %s", name, cmp.Or(said, err.Error()))
}
