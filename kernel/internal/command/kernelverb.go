package command

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/expfam/lab/kernel/internal/front"
)

// kernelVerb is the verb by which Jupyter starts a kernel that pip has installed, with the file of the connection. It
// says of itself where everything is, so that its kernelspec is the same in all environments.
const kernelVerb = "kernel"

// kernel serves Jupyter. It answers at once; the first cell waits until the library is ready.
func kernel(connection string) error {
	ctx, end := context.WithCancel(context.Background())
	defer end()
	in, err := newInstaller(ctx, io.Discard)
	if err != nil {
		return front.Refuse(connection, err)
	}
	spec := newSpec(in.co, in.env, in.bin())
	for name, value := range spec.Env {
		if err := os.Setenv(name, os.ExpandEnv(value)); err != nil {
			return err
		}
	}
	expected, _ := in.seconds(libraryStep, in.record())
	go in.pip.tidyRegularly(ctx)
	connected := slices.Index(spec.Argv, "{connection_file}")
	return front.Run(connection, spec.Argv[connected+1:], []string{spec.Argv[0], superviseVerb}, &front.Preparation{
		Do: func() error { return in.prepare(ctx) }, Expected: time.Duration(expected * float64(time.Second)),
		Kept: filepath.Join(in.dir, "packages.json"),
	})
}
