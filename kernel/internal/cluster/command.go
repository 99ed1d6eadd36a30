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
)

// Command submits shares to a scheduler of which nothing is known but the command that submits. In its words these
// stand for what they say:
//
//	{run}     the script to run: of one share and the command is called for each, unless one of the next two is there
//	{shares}  the number of shares: the command is called once for an array, whose tasks know their number
//	{last}    the number of shares less one
//	{share}   the number of the share, or "merge"
//	{log}     a file for what the scheduler says
//
// What has ended is known by the marks of the shares. There is no queue to look at, so a share that was submitted
// counts as waiting until it has ended.
type Command struct{ Words []string }

// Check refuses a command that does not say what to run.
func (c Command) Check() error {
	if len(c.Words) == 0 || !strings.Contains(strings.Join(c.Words, " "), "{run}") {
		return errors.New("submit -on command needs the command behind --, with {run} in place of the script that " +
			"it submits: -- qsub {run}")
	}
	return nil
}

// Answers returns an error if the command is not on PATH.
func (c Command) Answers(context.Context) error {
	if _, err := exec.LookPath(c.Words[0]); err != nil {
		return fmt.Errorf("submit -on command: %w: run this where jobs are submitted", err)
	}
	return nil
}

// array reports whether one call submits all shares.
func (c Command) array() bool {
	text := strings.Join(c.Words, " ")
	return strings.Contains(text, "{shares}") || strings.Contains(text, "{last}")
}

// mark is the file that says that a share, or the merge, was submitted.
func (c Command) mark(w *watch, name string) string {
	if name != mergeName {
		name = "share-" + name
	}
	return filepath.Join(w.Folder, logFolder, name+".submitted")
}

func (c Command) queue(_ context.Context, w *watch) (tasks []task, err error) {
	waits := func(name, mark string, share int) {
		if _, failed := ended(w.Folder, mark, "failed"); failed {
			return
		}
		if _, done := ended(w.Folder, mark, "done"); done {
			return
		}
		if _, err := os.Stat(c.mark(w, name)); err == nil {
			tasks = append(tasks, task{id: name, array: "command", share: share, state: "PENDING",
				reason: "submitted; remove " + c.mark(w, name) + " if it is lost"})
		}
	}
	for i := range w.Shares {
		waits(strconv.Itoa(i), fmt.Sprintf("share-%d", i), i)
	}
	if w.Merge != nil {
		waits(mergeName, mergeName, -1)
	}
	return tasks, nil
}

func (c Command) shares(ctx context.Context, w *watch, shares []int) (string, error) {
	if c.array() && len(shares) == w.Shares {
		if err := c.call(ctx, w, "", "array"); err != nil {
			return "", err
		}
		for _, i := range shares {
			if err := writeNew(c.mark(w, strconv.Itoa(i)), "\n"); err != nil {
				return "", err
			}
		}
		return "command", nil
	}
	for _, i := range shares {
		name := strconv.Itoa(i)
		if err := c.call(ctx, w, name, name); err != nil {
			return "", err
		}
		if err := writeNew(c.mark(w, name), "\n"); err != nil {
			return "", err
		}
	}
	return "command", nil
}

func (c Command) merge(ctx context.Context, w *watch, _ []string) error {
	if err := c.call(ctx, w, mergeName, mergeName); err != nil {
		return err
	}
	return writeNew(c.mark(w, mergeName), "\n")
}

// call submits a script. One share of an array that failed, and the merge, are arrays of one.
func (c Command) call(ctx context.Context, w *watch, name, share string) error {
	script, err := w.runScript(name)
	if err != nil {
		return err
	}
	n := w.Shares
	if name != "" {
		n = 1
	}
	replace := strings.NewReplacer("{run}", script, "{share}", share, "{shares}", strconv.Itoa(n), "{last}",
		strconv.Itoa(n-1), "{log}", filepath.Join(w.Folder, logFolder, "scheduler-"+share+".log"))
	words := make([]string, len(c.Words))
	for i, word := range c.Words {
		words[i] = replace.Replace(word)
	}
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		said := strings.TrimSpace(out.String())
		return fmt.Errorf("%s: %s", strings.Join(words, " "), cmp.Or(said[strings.LastIndexByte(said, '\n')+1:],
			err.Error()))
	}
	return nil
}

func (Command) hasten(context.Context, task) {}
func (Command) follows() bool                { return false }
func (Command) stop(*watch) string           { return "the scheduler's own command" }
