package front

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/expfam/lab/internal/safefile"
	"github.com/expfam/lab/kernel/input"
	"github.com/expfam/lab/kernel/internal/jupyter"
)

// startLimit is how long GoNB may take until it answers; half a second is usual.
const startLimit = time.Minute

// backend is GoNB, which compiles and runs the programs of cells.
type backend struct {
	*jupyter.Client
	dir    string // TMPDIR of GoNB and of the programs, with the sockets, kept values and the program that is to run
	remove func() // removes dir
	work   string // GoNB's own folder, in which it compiles
	began  string // [backend.module] at the start
	server *jupyter.Server
}

type relay = func(jupyter.Channel, jupyter.Message)

// startBackend starts GoNB as the spec says. A supervisor between this process and GoNB ends GoNB and the programs of
// cells, and removes their temporary files, however this process ends. GoNB's connection file is given the name of this
// kernel's own, because programs know their kernel by that name.
func startBackend(spec jupyter.Spec, name string, relay relay) (b *backend, err error) {
	b = &backend{}
	if b.dir, b.remove, err = safefile.Folder("", "expfam-front-"); err != nil {
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
	spec.Argv = append([]string{spec.Argv[0], "--kernel", file, "-raw_error"}, spec.Argv[1:]...)
	spec.Env = maps.Clone(spec.Env)
	if spec.Env == nil {
		spec.Env = map[string]string{}
	}
	folder := `!printf %s "$GONB_TMP_DIR"`
	if runtime.GOOS == "windows" {
		folder, spec.Env["TMP"] = "!echo %GONB_TMP_DIR%", b.dir
	}
	spec.Env["TMPDIR"] = b.dir
	spec.Env[input.Env] = b.socketOfInput()
	jupyter.AdoptOrphans() // of a supervisor that is killed
	if b.server, err = jupyter.StartSupervised(spec, b.dir, os.Stdout, os.Stderr); err != nil {
		return nil, fmt.Errorf("starting GoNB: %w: `expfam install` builds it", err)
	}
	ctx, cancel := context.WithTimeout(b.server.Alive(), startLimit)
	defer cancel()
	if b.Client, err = jupyter.DialRelay(ctx, b.server.Alive(), conn, relay); err != nil {
		return nil, err
	}
	if err := b.Ready(ctx); err != nil {
		return nil, err
	}
	var text strings.Builder
	_, err = b.ExecuteRequest(ctx, jupyter.Request{Code: folder, Silent: true}, nil,
		func(m jupyter.Message) {
			text.WriteString(streamOf(m).Text)
		})
	b.work = strings.TrimRight(text.String(), "\r\n")
	b.began = b.module()
	if lacks := b.restore(); lacks != nil {
		fmt.Fprintf(os.Stderr, "expfam: the modules of %s: %v\n", modFile, lacks)
	}
	return b, err
}

// gone returns the first folder of the kernel that somebody has removed, "" if they are there.
func (b *backend) gone() string {
	if b == nil {
		return ""
	}
	for _, dir := range []string{b.dir, b.work} {
		if _, err := os.Stat(dir); dir != "" && os.IsNotExist(err) {
			return dir
		}
	}
	return ""
}

// stop ends GoNB and whatever it has started.
func (b *backend) stop() {
	if b.server != nil {
		b.server.EndKernel(b.Client)
	}
	jupyter.KillOrphans()
	b.remove()
}
