package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// merge submits the merge. As long as no share has failed, it is submitted at once, to run behind the shares, so that
// nobody needs to wait for them. Otherwise it is submitted when all shares are done.
func (w *watch) merge(ctx context.Context, queued bool, done int, behind []string) error {
	switch {
	case queued:
		w.unmerged = time.Time{}
		return nil
	case done < w.Shares && !w.On.follows():
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
		return fmt.Errorf("all %d shares are in %s, but their merge failed %d times: %s", w.Shares, w.Folder, w.merges,
			w.why("merge"))
	}
	os.Remove(filepath.Join(w.Folder, logFolder, "merge.failed"))
	w.merges++
	w.unmerged = time.Time{}
	return w.On.merge(context.WithoutCancel(ctx), w, behind)
}

func (w *watch) merged() bool {
	_, done := ended(w.Folder, "merge", "done")
	return done
}
