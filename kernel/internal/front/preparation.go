package front

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"time"

	"github.com/expfam/lab/internal/speak"
	"github.com/expfam/lab/kernel/internal/jupyter"
)

// Preparation is what must be done before cells can be compiled. The kernel answers meanwhile, and its first cell shows
// how far that is.
type Preparation struct {
	Do       func() error  // nil if nothing is to be done
	Expected time.Duration // about how long Do takes
	Kept     string        // file of the list of packages; "" for the one beside the kernel's program
}

// prepare does what the preparation says, then lists the packages.
func (f *front) prepare(p *Preparation) {
	defer close(f.ready)
	if p != nil && p.Do != nil {
		f.began, f.expected = time.Now(), p.Expected
		if err := p.Do(); err != nil {
			f.unready = fmt.Errorf("%w; then restart the kernel", err)
			return
		}
	}
	if err := f.packages.load(); err != nil {
		fmt.Fprintln(os.Stderr, "kernel:", err)
	}
}

const (
	shownAfter  = time.Second // a preparation that takes less shows nothing
	barInterval = time.Second
)

// await waits until the packages are known, or until somebody interrupts the cell, and shows a bar meanwhile.
func (x *execution) await() *fault {
	display := map[string]string{"display_id": rand.Text()}
	show := func(text string, again bool) {
		kind := "display_data"
		if again {
			kind = "update_display_data"
		}
		x.publish(x.request, kind, map[string]any{"data": map[string]string{"text/plain": text},
			"metadata": map[string]any{}, "transient": display})
	}
	shown := false
	tick := time.NewTimer(shownAfter)
	defer tick.Stop()
	for {
		select {
		case <-x.ready:
			if shown && x.unready == nil {
				show(fmt.Sprintf("the library is ready, in %.0f s; later kernels need not wait",
					time.Since(x.began).Seconds()), true)
			}
			if x.unready != nil {
				return failed(x.unready)
			}
			return nil
		case <-tick.C:
			if x.interrupted() {
				x.say("interrupted while the library was prepared, which goes on: run the cell again")
				return &fault{Name: Interrupted, Value: "interrupted while the library was prepared",
					Traceback: []string{}, quiet: true}
			}
			if x.expected > 0 {
				show(waiting(time.Since(x.began), x.expected), shown)
				shown = true
			}
			tick.Reset(barInterval)
		}
	}
}

// waiting returns a bar and the seconds of a preparation.
func waiting(taken, expected time.Duration) string {
	share := min(0.95, taken.Seconds()/max(expected.Seconds(), 1))
	return fmt.Sprintf("%s the library is prepared, once: %.0f s of about %.0f s", speak.Blocks(share), taken.Seconds(),
		max(expected.Seconds(), 1))
}

// failed returns the fault of an error that is no cell's.
func failed(err error) *fault {
	return &fault{Name: "error", Value: err.Error(), Traceback: []string{red(err.Error())}}
}

// Refuse serves a kernel at the connection that Jupyter has written into a file, which cannot compile anything: each
// cell fails with the reason.
func Refuse(file string, why error) error {
	conn, err := jupyter.ReadConnection(file)
	if err != nil {
		return err
	}
	ctx, end := context.WithCancel(context.Background())
	defer end()
	f := newFront(end)
	f.unready = why
	close(f.ready)
	if f.host, err = jupyter.Listen(conn); err != nil {
		return err
	}
	defer f.host.Close()
	go f.receive(jupyter.Shell)
	go f.receive(jupyter.Control)
	f.work(ctx)
	return why
}
