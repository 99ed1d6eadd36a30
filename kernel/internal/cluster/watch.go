package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Options say how a job is watched.
type Options struct {
	Kernel  string // the program that nodes start, absolute
	Folder  string // folder of the job, absolute, on a file system that all nodes have
	Retries int    // how often a share is submitted again in one watch
	Detach  bool   // submit and return

	On Scheduler // what runs the shares; nil means Slurm

	Show func(Progress) // called after each look at the queue; never nil

	tick, settle, patience time.Duration // 0 means the constants below
}

const (
	// tick is the time between two looks at the queue at first; it grows to maxTick in a job that lasts.
	tick, maxTick = time.Second, 15 * time.Second
	// settle is how long a share may be neither in the queue nor ended: file systems of a network show files late.
	settle = 30 * time.Second
	// patience is for a cluster that does not answer while shares go on.
	patience = 10 * time.Minute
)

// Progress is how far a job is.
type Progress struct {
	Shares, Done, Running, Waiting int
	Reason                         string // why one of the waiting shares waits
	Merging                        bool
	Trouble                        string // what went wrong a moment ago, "" mostly
	Seconds                        float64
}

// Run submits the shares and the merge that are neither done nor in the queue, and waits until all are done. It returns
// how the shares ended and, as the last, how the merge did.
//
// A share that failed, or that is gone without a word, is submitted again. The end of ctx ends the watch and leaves the
// shares alone.
func (j Job) Run(ctx context.Context, o Options) ([]Ended, error) {
	if o.tick == 0 {
		o.tick, o.settle, o.patience = tick, settle, patience
	}
	w := &watch{Job: j, Options: o, tries: make([]int, j.Shares), missing: make([]time.Time, j.Shares),
		begin: time.Now()}
	if w.On == nil {
		w.On = Slurm{}
	}
	if o.Detach && j.Merge != nil && !w.On.follows() {
		return nil, errors.New("without a watch nothing submits the merge behind these shares: leave -wait=false or " +
			"-merge out")
	}
	if err := j.open(o.Folder); err != nil {
		return nil, err
	}
	unlock, err := lock(filepath.Join(o.Folder, logFolder, ".lock"))
	if err != nil {
		return nil, err
	}
	defer unlock()
	for {
		over, err := w.look(ctx)
		if err != nil {
			return nil, err
		}
		if over {
			return w.ends(), nil
		}
		if o.Detach {
			return nil, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("shares go on without this program: run the same command again to watch them, "+
				"or end them with %s", w.On.stop(w))
		case <-time.After(max(o.tick, min(maxTick, time.Since(w.begin)/20))):
		}
	}
}

// watch is one call of Run.
type watch struct {
	Job
	Options
	begin    time.Time
	tries    []int       // submissions of each share
	missing  []time.Time // since when a share is neither in the queue nor ended
	merges   int         // submissions of the merge
	silent   time.Time   // since when Slurm does not answer
	trouble  string
	unmerged time.Time // since when the merge is neither in the queue nor ended
}

// look finds out what is done and what is in the queue, and submits what is neither. over reports that all is done.
func (w *watch) look(ctx context.Context) (over bool, err error) {
	tasks, err := w.On.queue(ctx, w)
	if err != nil {
		return false, w.unanswered(ctx, err)
	}
	w.silent = time.Time{}
	p := Progress{Shares: w.Shares, Trouble: w.trouble, Seconds: time.Since(w.begin).Seconds()}
	w.trouble = ""
	live := make([]bool, w.Shares)
	var arrays []string
	merging := false
	for _, t := range tasks {
		switch {
		case t.share < 0:
			merging = true
			p.Merging = t.runs()
			if t.reason == "DependencyNeverSatisfied" { // Slurm removes it
				w.merges = 0
			}
		case t.share < w.Shares:
			live[t.share] = true
			if !slices.Contains(arrays, t.array) {
				arrays = append(arrays, t.array)
			}
			if t.runs() {
				p.Running++
				break
			}
			p.Waiting++
			p.Reason = t.reason
			if t.reason == "BeginTime" {
				w.On.hasten(ctx, t)
			}
		}
	}
	again, lost := w.sort(live, &p)
	if len(again) > 0 {
		id, err := w.again(ctx, again)
		if err != nil {
			return false, err
		}
		arrays = append(arrays, id)
		p.Waiting += len(again)
	}
	w.Show(p)
	switch {
	case len(lost) > 0 && p.Running+p.Waiting == 0:
		return false, w.failure(lost, p.Done)
	case len(lost) > 0:
		return false, nil
	case w.Merge == nil || p.Done == w.Shares && w.merged():
		return p.Done == w.Shares, nil
	}
	return false, w.merge(ctx, merging, p.Done, arrays)
}

// sort counts the shares that are done. It returns the shares to submit, and those that have failed too often.
func (w *watch) sort(live []bool, p *Progress) (again, lost []int) {
	for i := range w.Shares {
		name := fmt.Sprintf("share-%d", i)
		if _, done := ended(w.Folder, name, "done"); done {
			p.Done++
			continue
		}
		if live[i] {
			w.missing[i] = time.Time{}
			continue
		}
		_, failed := ended(w.Folder, name, "failed")
		if w.tries[i] > 0 && !failed {
			if w.missing[i].IsZero() {
				w.missing[i] = time.Now()
			}
			if time.Since(w.missing[i]) < w.settle {
				p.Waiting++
				p.Reason = "neither in the queue nor ended"
				continue
			}
		}
		if w.tries[i] > w.Retries {
			lost = append(lost, i)
			continue
		}
		if w.tries[i] > 0 {
			w.trouble = fmt.Sprintf("share %d is submitted again: %s", i, w.why(name))
		}
		again = append(again, i)
	}
	return again, lost
}

// again submits shares, and removes what they left at an earlier failure.
func (w *watch) again(ctx context.Context, shares []int) (id string, err error) {
	for _, i := range shares {
		os.Remove(filepath.Join(w.Folder, logFolder, fmt.Sprintf("share-%d.failed", i)))
		w.tries[i]++
		w.missing[i] = time.Time{}
	}
	return w.On.shares(context.WithoutCancel(ctx), w, shares)
}

// Ended is how a share or the merge ended.
type Ended struct {
	Name, Node string
	Seconds    float64
}

// ends returns how all shares and the merge ended.
func (w *watch) ends() []Ended {
	var all []Ended
	add := func(name string) {
		if e, done := ended(w.Folder, strings.ReplaceAll(name, " ", "-"), "done"); done {
			all = append(all, Ended{name, e.node, float64(e.millis) / 1000})
		}
	}
	for i := range w.Shares {
		add(fmt.Sprintf("share %d", i))
	}
	if w.Merge != nil {
		add("merge")
	}
	return all
}
