package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

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
	return fmt.Errorf("share %s of %d failed %d times (share %d: %s); %d are done and stay in %s: correct the "+
		"cause and run the same command again",
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
		return fmt.Errorf("the cluster has not answered for %v (%w): shares may go on without it, and the same "+
			"command watches them again", since.Round(time.Second), err)
	}
	w.Show(Progress{Shares: w.Shares, Trouble: "the cluster does not answer: " + err.Error(),
		Seconds: time.Since(w.begin).Seconds()})
	return nil
}
