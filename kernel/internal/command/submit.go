package command

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/expfam/lab/kernel/internal/cluster"
	"github.com/expfam/lab/kernel/internal/ipynb"
)

// The parameters that submit sets by itself, in notebooks that declare them.
const (
	sharesParameter = "shares"
	folderParameter = "folder"
)

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
