package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/expfam/lab/deploy/slurm"
	"github.com/expfam/lab/internal/safefile"
)

// Job is what is to be done. It is the same in every call that watches it.
type Job struct {
	// name by which squeue lists the shares; the merge is listed as Name-merge
	Name   string   `json:"name"`
	Shares int      `json:"shares"`           // tasks 0, 1, … of the array
	Over   string   `json:"over"`             // parameter of the notebook that is the number of the task
	Share  Program  `json:"share"`            // what every task executes
	Merge  *Program `json:"merge,omitempty"`  // what runs when all shares are there
	Sbatch []string `json:"sbatch,omitempty"` // the user's own flags of sbatch, or the command that submits a share
}

// Program is a notebook with the values of its parameters.
type Program struct {
	Notebook string   `json:"notebook"` // absolute path
	Sum      string   `json:"sum"`      // hash of its cells: shares of two versions can't be merged
	Flags    []string `json:"flags"`    // flags of expfam run, without the number of the task and the timeout
	// Timeout is the flag that says how long a cell may take; "" for none. The same job may be watched with another
	// timeout, because no result depends on it.
	Timeout string `json:"timeout,omitempty"`
}

const (
	jobFile   = "job.json"
	logFolder = "log"
)

// open makes the folder of a job, or finds that it was made for the same job. A folder with anything else in it is an
// error, and is left as it is.
func (j Job) open(folder string) error {
	want, err := json.MarshalIndent(j, "", "  ")
	if err != nil {
		return err
	}
	have, err := os.ReadFile(filepath.Join(folder, jobFile))
	switch {
	case err == nil:
		var old Job
		if json.Unmarshal(have, &old) != nil {
			return fmt.Errorf("%s can't be read: remove it, or choose another -out", filepath.Join(folder, jobFile))
		}
		if what := difference(old, j); what != "" {
			return fmt.Errorf("%s has the shares of another job (%s): choose another -out, or remove it", folder, what)
		}
	case errors.Is(err, fs.ErrNotExist):
		entries, err := os.ReadDir(folder)
		if err == nil && len(entries) > 0 {
			return fmt.Errorf("%s is there already, with %s in it, and is no folder of a job: choose another -out",
				folder, entries[0].Name())
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("-out is a new folder or that of the same job: %w", err)
		}
	default:
		return fmt.Errorf("-out is a new folder or that of the same job: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(folder, logFolder), 0o755); err != nil {
		return err
	}
	for _, f := range []struct {
		name, text string
	}{{"share.sh", slurm.Share}, {"merge.sh", slurm.Merge}, {jobFile, string(want) + "\n"}} {
		if err := writeNew(filepath.Join(folder, f.name), f.text); err != nil {
			return err
		}
	}
	return nil
}

// writeNew writes a file unless it is there with this text.
func writeNew(path, text string) error {
	if have, err := os.ReadFile(path); err == nil && string(have) == text {
		return nil
	}
	return safefile.WriteFile(path, []byte(text))
}

// difference says how two jobs differ; "" if they are the same.
func difference(old, job Job) string {
	if old.Shares != job.Shares {
		return fmt.Sprintf("shares were %d and are %d", old.Shares, job.Shares)
	}
	if old.Over != job.Over {
		return fmt.Sprintf("the number of a share was parameter %s and is %s", old.Over, job.Over)
	}
	if (old.Merge == nil) != (job.Merge == nil) {
		return "one has a merge, the other has none"
	}
	what := old.Share.difference(job.Share)
	if what == "" && job.Merge != nil {
		what = old.Merge.difference(*job.Merge)
	}
	return what
}

// args returns all flags of expfam run.
func (p Program) args() []string {
	if p.Timeout == "" {
		return p.Flags
	}
	return append(slices.Clone(p.Flags), p.Timeout)
}

func (p Program) difference(other Program) string {
	switch {
	case p.Notebook != other.Notebook:
		return fmt.Sprintf("of %s, not %s", p.Notebook, other.Notebook)
	case p.Sum != other.Sum:
		return fmt.Sprintf("%s has been edited since", p.Notebook)
	case !slices.Equal(p.Flags, other.Flags):
		return fmt.Sprintf("it was run with %s, not %s", without(p.Flags, other.Flags), without(other.Flags, p.Flags))
	}
	return ""
}

// without returns the flags that are not among others, as one text.
func without(flags, others []string) string {
	own := slices.DeleteFunc(slices.Clone(flags), func(f string) bool { return slices.Contains(others, f) })
	if len(own) == 0 {
		return "nothing of it"
	}
	return strings.Join(own, " ")
}

// end is how a share or a merge ended.
type end struct {
	node   string
	status int
	millis int64
}

// ended reads the file that the script of a share or of the merge left at its end; word is "done" or "failed".
func ended(folder, name, word string) (end, bool) {
	var e end
	text, err := os.ReadFile(filepath.Join(folder, logFolder, name+"."+word))
	if err != nil {
		return e, false
	}
	n, _ := fmt.Sscan(string(text), &e.node, &e.status, &e.millis)
	return e, n == 3
}

// reason returns the last sentence of expfam run in the log of a share or a merge, else the log's last line.
func reason(folder, name string) string {
	path := filepath.Join(folder, logFolder, name+".log")
	text, err := os.ReadFile(path)
	if err != nil {
		return "it left no log"
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, line := range slices.Backward(lines) {
		if said, is := strings.CutPrefix(line, "expfam: "); is {
			return said + " (" + path + ")"
		}
	}
	return lines[len(lines)-1] + " (" + path + ")"
}
