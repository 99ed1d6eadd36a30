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

// Ended is how a share or the merge ended.
type Ended struct {
	Name, Node string
	Seconds    float64
}

// Run submits the shares and the merge that are neither done nor in the queue, and waits until all are done. It returns
// how the shares ended and, as the last, how the merge did.
//
// A share that failed, or that is gone without a word, is submitted again. The end of ctx ends the watch and leaves the shares alone.
func (j Job) Run(ctx context.Context, o Options) ([]Ended, error) {
	if o.tick == 0 {
		o.tick, o.settle, o.patience = tick, settle, patience
	}
	w := &watch{Job: j, Options: o, tries: make([]int, j.Shares), missing: make([]time.Time, j.Shares), begin: time.Now()}
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
			return nil, fmt.Errorf("shares go on without this program: run the same command again to watch them, or end them with `scancel --name=%s,%s-merge`", j.Name, j.Name)
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
	tasks, err := w.queue(ctx)
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
				hasten(ctx, t)
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
	return w.submitShares(context.WithoutCancel(ctx), w.Kernel, w.Folder, shares)
}

// merge submits the merge. As long as no share has failed, it is submitted at once, to run behind the shares, so that
// nobody needs to wait for them. Otherwise it is submitted when all shares are done.
func (w *watch) merge(ctx context.Context, queued bool, done int, behind []string) error {
	switch {
	case queued:
		w.unmerged = time.Time{}
		return nil
	case done < w.Shares && slices.Max(w.tries) > 1:
		w.merges = 0 // the merge that was to run behind the failed share is gone
		return nil
	}
	_, failed := ended(w.Folder, "merge", "failed")
	if w.merges > 0 && !failed {
		if w.unmerged.IsZero() {
			w.unmerged = time.Now()
		}
		if time.Since(w.unmerged) < w.settle {
			return nil
		}
	}
	if w.merges > w.Retries {
		return fmt.Errorf("all %d shares are in %s, but their merge failed %d times: %s", w.Shares, w.Folder, w.merges, w.why("merge"))
	}
	os.Remove(filepath.Join(w.Folder, logFolder, "merge.failed"))
	w.merges++
	w.unmerged = time.Time{}
	_, err := w.submitMerge(context.WithoutCancel(ctx), w.Kernel, w.Folder, behind)
	return err
}

func (w *watch) merged() bool {
	_, done := ended(w.Folder, "merge", "done")
	return done
}

// why says why a share or the merge did not end well.
func (w *watch) why(name string) string {
	if _, failed := ended(w.Folder, name, "failed"); failed {
		return reason(w.Folder, name)
	}
	if err := room(w.Folder); err != nil {
		return err.Error()
	}
	return "it is gone from the queue without a word, as with a node that fails or scancel"
}

// room returns an error if the folder takes no file of 128 kB: a share on a full disk leaves no word.
func room(folder string) error {
	f, err := os.CreateTemp(folder, ".room")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, 1<<17))
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

// failure returns the error of a job in which shares failed too often.
func (w *watch) failure(lost []int, done int) error {
	return fmt.Errorf("share %s of %d failed %d times (share %d: %s); %d are done and stay in %s: correct the cause and run the same command again",
		numbers(lost), w.Shares, w.Retries+1, lost[0], w.why(fmt.Sprintf("share-%d", lost[0])), done, w.Folder)
}

// unanswered returns the error of a cluster that has not answered for long. Before that the error is only shown.
func (w *watch) unanswered(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	if w.Detach || errors.Is(err, errNoSlurm) {
		return err
	}
	if w.silent.IsZero() {
		w.silent = time.Now()
	}
	if since := time.Since(w.silent); since > w.patience {
		return fmt.Errorf("the cluster has not answered for %v (%w): shares may go on without it, and the same command watches them again", since.Round(time.Second), err)
	}
	w.Show(Progress{Shares: w.Shares, Trouble: "the cluster does not answer: " + err.Error(), Seconds: time.Since(w.begin).Seconds()})
	return nil
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
