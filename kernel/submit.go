package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/expfam/lab/kernel/internal/cluster"
	"github.com/expfam/lab/kernel/ipynb"
)

// What submit sets by itself, in notebooks that have parameters of these names.
const (
	sharesParameter = "shares"
	folderParameter = "folder"
)

// submit is the verb: it executes shares of a notebook on a cluster.
func submit(ctx context.Context, args []string) error {
	var more []string
	if at := slices.Index(args, "--"); at >= 0 {
		args, more = args[:at], args[at+1:]
	}
	flags := newFlags("submit")
	shares := flags.Int("shares", 0, "how many shares, numbered from 0; a notebook with a parameter "+sharesParameter+" gets it")
	out := flags.String("out", "", "folder of the job, new or that of the same job, on a file system that all nodes have; a notebook with a parameter "+folderParameter+" gets it")
	over := flags.String("over", "share", "the parameter of the notebook that is the number of a share: a share of draws, a data set, a seed")
	merge := flags.String("merge", "", "notebook to execute when all shares are there")
	timeout := flags.Duration("timeout", 24*time.Hour, "stop a cell that takes longer")
	retries := flags.Int("retries", 2, "submit a share that failed again, so many times")
	wait := flags.Bool("wait", true, "wait for the end and submit again what fails; without it, submit shares and merge and return")
	set := settings{}
	flags.Var(set, "set", "NAME=VALUE of a parameter of the notebook, of the merge or of both; may be repeated (environment: "+setEnv+"NAME)")
	paths, err := parseMixed(flags, args)
	if err != nil {
		return err
	}
	if len(paths) != 1 || *shares < 1 || *out == "" || *retries < 0 {
		return errors.New("submit needs one notebook, a number of shares and a folder: kernel submit -shares 8 -out FOLDER NOTEBOOK")
	}
	set.addEnv(os.Environ())
	folder, err := filepath.Abs(*out)
	if err != nil {
		return err
	}
	job := cluster.Job{Name: "expfam-" + sum(folder)[:8], Shares: *shares, Over: *over, Sbatch: more}
	used := map[string]bool{}
	given := map[string]string{sharesParameter: strconv.Itoa(*shares), folderParameter: folder}
	if job.Share, err = programOf(paths[0], set, given, *over, used); err != nil {
		return err
	}
	job.Share.Flags = append(job.Share.Flags, "-timeout="+timeout.String())
	if *merge != "" {
		p, err := programOf(*merge, set, given, "", used)
		if err != nil {
			return err
		}
		p.Flags = append(p.Flags, "-timeout="+timeout.String())
		job.Merge = &p
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if !used[name] {
			return fmt.Errorf("parameter %s: neither %s nor a merge declares it", name, paths[0])
		}
	}
	if err := cluster.Answers(ctx); err != nil { // before minutes of installing
		return err
	}
	in, err := newInstaller(ctx, os.Stdout)
	if err != nil {
		return err
	}
	if err := in.ensure(ctx); err != nil {
		return err
	}
	shown := &watched{out: os.Stdout, terminal: isTerminal(os.Stdout)}
	fmt.Printf("%d shares of %s, %s in squeue\n", *shares, paths[0], job.Name)
	ends, err := job.Run(ctx, cluster.Options{
		Kernel: filepath.Join(in.bin(), kernelProgram), Folder: folder, Retries: *retries, Detach: !*wait, Show: shown.show,
	})
	shown.end()
	if err != nil {
		return err
	}
	if !*wait {
		fmt.Println("the same command without -wait=false watches them, and submits again what fails")
		return nil
	}
	for _, e := range ends {
		fmt.Printf("  %-10s %8.1f s  on %s\n", e.Name, e.Seconds, e.Node)
	}
	fmt.Printf("  all in %s\n", folder)
	return nil
}

// programOf is a notebook with the values that its parameters get: what is set, and what is given to every notebook that declares it. The
// parameter over is a number that the node knows. Which of set it uses, it marks.
func programOf(path string, set settings, given map[string]string, over string, used map[string]bool) (cluster.Program, error) {
	var p cluster.Program
	nb, err := ipynb.Read(path)
	if errors.Is(err, os.ErrNotExist) {
		return p, fmt.Errorf("the notebook %s does not exist: give its path", path)
	}
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

// sum is a hash of a text, in hexadecimal digits.
func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

// watched shows how far a job is: in one line on a terminal, else in a line when something changes.
type watched struct {
	out      io.Writer
	terminal bool
	last     string
}

func (w *watched) show(p cluster.Progress) {
	text := fmt.Sprintf("%d of %d done, %d run, %d wait", p.Done, p.Shares, p.Running, p.Waiting)
	if p.Waiting > 0 && p.Reason != "" && p.Reason != "None" {
		text += " (" + p.Reason + ")"
	}
	if p.Merging {
		text += ", the merge runs"
	}
	if p.Trouble != "" {
		w.end()
		fmt.Fprintf(w.out, "  %s\n", p.Trouble)
	}
	switch {
	case w.terminal:
		fmt.Fprintf(w.out, "\r\x1b[K  %4.0f s  %s", p.Seconds, text)
	case text != w.last:
		fmt.Fprintf(w.out, "  %4.0f s  %s\n", p.Seconds, text)
	}
	w.last = text
}

// end clears the line that a terminal shows.
func (w *watched) end() {
	if w.terminal && w.last != "" {
		fmt.Fprint(w.out, "\r\x1b[K")
	}
}
