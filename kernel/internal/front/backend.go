package front

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/expfam/lab/kernel/jupyter"
)

// startLimit is how long GoNB may take until it answers; half a second is usual.
const startLimit = time.Minute

// backend is GoNB, which compiles and runs the programs of cells.
type backend struct {
	*jupyter.Client
	dir   string // folder of the sockets, of kept values and of the program that is to run
	work  string // GoNB's own folder, in which it compiles
	cmd   *exec.Cmd
	ended chan struct{}
}

// startBackend starts GoNB by the command line argv. GoNB's connection file is given the name of this kernel's own,
// because programs know their kernel by that name.
func startBackend(argv []string, env []string, name string, relay func(jupyter.Channel, jupyter.Message)) (b *backend, err error) {
	b = &backend{ended: make(chan struct{})}
	if b.dir, err = os.MkdirTemp("", "front"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			b.stop()
		}
	}()
	conn, err := jupyter.NewConnection(b.dir)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(b.dir, name)
	if err := conn.WriteFile(file); err != nil {
		return nil, err
	}
	cmd := exec.Command(argv[0], append([]string{"--kernel", file, "-raw_error"}, argv[1:]...)...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := jupyter.StartChild(cmd); err != nil {
		return nil, fmt.Errorf("starting GoNB: %w: `go run ./kernel install` in the checkout builds it", err)
	}
	b.cmd = cmd
	alive, died := context.WithCancel(context.Background())
	go func() {
		cmd.Wait()
		died()
		close(b.ended)
	}()
	ctx, cancel := context.WithTimeout(alive, startLimit)
	defer cancel()
	if b.Client, err = jupyter.DialRelay(ctx, alive, conn, relay); err != nil {
		return nil, err
	}
	if _, err := b.Ready(ctx); err != nil {
		return nil, err
	}
	var text strings.Builder
	_, err = b.ExecuteRequest(ctx, jupyter.Request{Code: `!printf %s "$GONB_TMP_DIR"`, Silent: true}, nil, func(m jupyter.Message) {
		text.WriteString(streamOf(m).Text)
	})
	b.work = text.String()
	return b, err
}

// stop ends GoNB and whatever it has started.
func (b *backend) stop() {
	if b.Client != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		b.Shutdown(ctx)
		select {
		case <-b.ended:
		case <-ctx.Done():
		}
	}
	if b.cmd != nil {
		b.cmd.Process.Kill()
		<-b.ended
	}
	if b.Client != nil {
		b.Close()
	}
	jupyter.KillOrphans()
	os.RemoveAll(b.dir)
}
