// Kernel sets up and runs the notebooks of this checkout: Go cells on a Jupyter kernel (GoNB) in which the library's
// packages resolve to the checkout and start fast.
//
//	go run ./kernel install             put everything in place, for Jupyter and for run
//	go run ./kernel run NOTEBOOK...     execute notebooks without Jupyter or Python, install first what is missing
//	go run ./kernel run -set draws=100 -out RESULT NOTEBOOK    the same with other values of its parameters
//	go run ./kernel lab                 start JupyterLab in the notebooks' folder, set it up first if there is none
//	go run ./kernel site -out DIR NOTEBOOK...    make pages of notebooks for a server of files, with figures that are live in them
//	go run ./kernel submit -shares 8 -out DIR -merge MERGE NOTEBOOK    execute shares of a notebook on a cluster of Slurm
//	go run ./kernel new counts          copy a notebook to start from, with a small file of data
//	go run ./kernel doctor              list what is there and what mends what isn't
//	go run ./kernel clean -max 2GB      remove stored results, those that were not used for longest
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/expfam/lab/kernel/internal/front"
	"github.com/expfam/lab/kernel/jupyter"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprint(os.Stderr, usage())
		os.Exit(2)
	}
	name, args := os.Args[1], os.Args[2:]
	if name == superviseVerb && len(args) > 1 {
		os.Exit(jupyter.Supervise(args[0], args[1:]))
	}
	if name == serveVerb && len(args) > 0 {
		os.Exit(jupyter.SuperviseServer(args))
	}
	if name == frontVerb && len(args) > 1 {
		self, err := os.Executable()
		if err == nil {
			err = front.Run(args[0], args[1:], []string{self, superviseVerb})
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "kernel:", err)
			os.Exit(1)
		}
		return
	}
	if name == "-h" || name == "-help" || name == "--help" || name == "help" {
		fmt.Print(usage())
		return
	}
	all := verbs()
	at := slices.IndexFunc(all, func(v verb) bool { return v.name == name })
	if at < 0 {
		fmt.Fprintf(os.Stderr, "kernel: unknown verb %q: `kernel help` lists the verbs\n", name)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends this program at once; the supervisor then ends the kernel
	err := all[at].do(ctx, args)
	interrupted := ctx.Err() != nil
	stop()
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case interrupted:
		fmt.Fprintln(os.Stderr, "kernel: interrupted:", err)
		os.Exit(130)
	default:
		fmt.Fprintln(os.Stderr, "kernel:", err)
		os.Exit(1)
	}
}
