package jupyter

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// serverGrace is how long a server may take to end its kernels; it gives each five seconds.
const serverGrace = 10 * time.Second

// Supervise runs a command in a process group of its own, until it ends or until standard input closes, which happens
// when the process that started the supervisor dies. Then it kills the whole group and whatever else the command
// started (compilers, the programs of cells), removes the folder dir and returns an exit status.
func Supervise(dir string, argv []string) int {
	defer os.RemoveAll(dir)
	return supervise(argv, 0)
}

// SuperviseServer is Supervise for a Jupyter server, which first gets a SIGTERM and time to shut its kernels down.
// Those are in process groups of their own.
func SuperviseServer(argv []string) int { return supervise(argv, serverGrace) }

func supervise(argv []string, grace time.Duration) int {
	// The owner decides when the end comes, by closing standard input. The signals are caught and dropped instead of
	// ignored, because an ignored signal stays ignored in the command and in the programs that it starts.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	AdoptOrphans()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	detach(cmd)
	dieWithParent(cmd)
	// The signal of dieWithParent comes when the thread ends that started the command, so that thread has to stay.
	lockThread()
	if err := cmd.Start(); err != nil {
		fmt.Fprintf(os.Stderr, "jupyter: %v\n", err)
		return 1
	}
	gone := make(chan error, 1)
	go func() { gone <- cmd.Wait() }()
	left := make(chan struct{})
	go func() {
		io.Copy(io.Discard, os.Stdin)
		close(left)
	}()
	var err error
	ended := false
	select {
	case err = <-gone:
		ended = true
	case <-left:
		if grace > 0 {
			cmd.Process.Signal(syscall.SIGTERM)
			select {
			case err = <-gone:
				ended = true
			case <-time.After(grace):
			}
		}
	}
	killGroup(cmd.Process.Pid)
	if !ended {
		err = <-gone
	}
	KillOrphans()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return max(1, exit.ExitCode())
	}
	return 0
}
