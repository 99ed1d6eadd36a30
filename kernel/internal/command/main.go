// Package command is the command expfam. It sets up and runs notebooks whose cells are Go, on a Jupyter kernel (GoNB).
// The library's packages resolve to one copy of this module in them, and start fast. Two programs call [Main]:
//
//	go install github.com/expfam/lab/kernel/expfam@latest    for a person who has no clone
//	go run ./kernel                                          in a clone
//
// The kernel of that name is what Jupyter starts: a copy of the same program.
//
//	expfam install             put everything in place, for Jupyter and for run
//	expfam run NOTEBOOK...     execute notebooks without Jupyter or Python, install first what is missing
//	expfam run -set draws=100 -out RESULT NOTEBOOK    the same with other values of its parameters
//	expfam lab                 start JupyterLab in the notebooks' folder, set it up first if there is none
//	expfam site -out DIR NOTEBOOK...    make pages of notebooks for a server of files, with figures that are live in them
//	expfam submit -shares 8 -out DIR -merge MERGE NOTEBOOK    execute shares of a notebook on a cluster of Slurm
//	expfam certify draws.npz   say whether the draws of any program are those of the posterior
//	expfam new counts          copy a notebook to start from, with a small file of data
//	expfam doctor              list what is there and what mends what isn't
//	expfam clean -max 2GB      remove stored results, those that were not used for longest
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/expfam/lab/kernel/internal/front"
	"github.com/expfam/lab/kernel/internal/jupyter"
)

// call returns a command of this program as the person types it: `go run ./kernel` builds a program of another name.
func call(arguments string) string {
	if filepath.Base(os.Args[0]) == "kernel" {
		return "go run ./kernel " + arguments
	}
	return "expfam " + arguments
}

// quoted returns a [call] as messages quote it.
func quoted(arguments string) string { return "`" + call(arguments) + "`" }

// Main executes the command line, and ends the process if that fails.
func Main() {
	end(memoryFits()) // before threads that could not start
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
			var preparation *front.Preparation
			if e, ofPip, errHere := here(); ofPip && errHere == nil {
				preparation = &front.Preparation{Kept: filepath.Join(e.notes(), "packages.json")}
			}
			err = front.Run(args[0], args[1:], []string{self, superviseVerb}, preparation)
		}
		end(err)
		return
	}
	// Processes that this program starts of itself have these variables, and more, from the one that started them.
	if e, ofPip, err := here(); ofPip && err == nil {
		e.use()
	}
	if name == kernelVerb && len(args) == 1 && packed != "" {
		end(kernel(args[0]))
		return
	}
	if name == "-h" || name == "-help" || name == "--help" || name == "help" {
		fmt.Print(usage())
		return
	}
	all := verbs()
	at := slices.IndexFunc(all, func(v verb) bool { return v.name == name })
	if at < 0 {
		fmt.Fprintf(os.Stderr, "expfam: unknown verb %q: %s lists the verbs\n", name, quoted("help"))
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends this program at once; the supervisor then ends the kernel
	err := all[at].do(ctx, args)
	interrupted := ctx.Err() != nil
	stop()
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil && interrupted {
		fmt.Fprintln(os.Stderr, "expfam: interrupted:", err)
		os.Exit(130)
	}
	end(err)
}

// end ends the process if there is an error.
func end(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "expfam:", err)
		if s, own := errors.AsType[statusError](err); own {
			os.Exit(s.status)
		}
		os.Exit(1)
	}
}
