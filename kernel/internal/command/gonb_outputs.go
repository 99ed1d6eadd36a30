package command

import "github.com/expfam/lab/kernel/internal/front"

// These patches mend how GoNB waits for what a program and its children write:
//
//   - A child that keeps the output open does not hold the cell. GoNB waited for the end of the output before it
//     waited for the end of the program. Now it ends those who hold the output of a program that has ended, after a
//     delay or at an interrupt, and tells their names.
//   - What a program shows last is shown. GoNB closed the pipe of figures when the program ended, read or not.
//   - A character whose bytes come in two pieces is shown as that character.
//   - A program ends with GoNB, however that ends.
var outputPatches = []patch{
	{executor, "exec.cmdStdout, err = cmd.StdoutPipe()", "exec.cmdStdout, cmd.Stdout, err = outputPipe()"},
	{executor, "exec.cmdStderr, err = cmd.StderrPipe()", "exec.cmdStderr, cmd.Stderr, err = outputPipe()"},
	{executor, "exec.stdoutWriter, exec.cmdStdout)", "exec.stdoutWriter, &characters{from: exec.cmdStdout})"},
	{executor, "exec.stderrWriter, exec.cmdStderr)", "exec.stderrWriter, &characters{from: exec.cmdStderr})"},
	{executor, "\tif err := cmd.Start(); err != nil {",
		"\tendWithParent(cmd)\n\terr = cmd.Start()\n\tcloseOutputs(cmd)\n\tif err != nil {"},
	{executor, "\tstreamersWG.Wait()\n\texec.exitError = cmd.Wait()\n",
		"\texec.exitError = cmd.Wait()\n\texec.awaitShown()\n\texec.awaitOutputs(&streamersWG)\n"},
	{executor, "\tpipeReader                               io.ReadCloser // GONB_PIPE\n",
		"\tpipeReader                               io.ReadCloser // GONB_PIPE\n" +
			"\tshown                                    chan struct{} // closed when all of GONB_PIPE is read\n"},
	{pipes, "\texec.openPipeReader()\n", "\texec.shown = make(chan struct{})\n\texec.openPipeReader()\n"},
	{pipes, "\t\tgo exec.pollNamedPipeReader()\n",
		"\t\tgo func() {\n\t\t\tdefer close(exec.shown)\n\t\t\texec.pollNamedPipeReader()\n\t\t}()\n"},
	{"internal/jpyexec/outputs.go", "", outputs},
	{"internal/jpyexec/children_linux.go", "", childrenLinux},
	{"internal/jpyexec/children_others.go", "", childrenOthers},
}

// executor is the file of GoNB that runs programs, and pipes the one that reads what they show.
const executor, pipes = "internal/jpyexec/jpyexec.go", "internal/jpyexec/namedpipes.go"

const outputs = `package jpyexec

import (
	"io"
	"os"
	osexec "os/exec"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"
)

// outputPipe is a pipe for what a program writes. Waiting for the program does not close the end that is read.
func outputPipe() (io.ReadCloser, io.Writer, error) {
	r, w, err := os.Pipe()
	return r, w, err
}

// closeOutputs closes this process's ends of the pipes into which the program writes.
func closeOutputs(cmd *osexec.Cmd) {
	for _, w := range []io.Writer{cmd.Stdout, cmd.Stderr} {
		_ = w.(io.Closer).Close()
	}
}

const (
	// outputDelay is how long children of a program that has ended may go on writing.
	outputDelay = 3 * time.Second
	// endDelay is how long they may take to end when they are told to.
	endDelay = 300 * time.Millisecond
)

// awaitShown waits until all is read that a program which has ended has shown.
func (exec *Executor) awaitShown() {
	if !exec.useNamedPipes {
		return
	}
	for end := time.Now().Add(outputDelay); time.Now().Before(end); {
		// A reader that still waits for a writer gets one that writes nothing.
		if w, err := os.OpenFile(exec.namedPipeReaderPath, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
			_ = w.Close()
		}
		select {
		case <-exec.shown:
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// awaitOutputs waits for the rest of what was written. It ends the processes that hold the output of a program that has
// ended.
func (exec *Executor) awaitOutputs(streamers *sync.WaitGroup) {
	read := make(chan struct{})
	go func() {
		streamers.Wait()
		close(read)
	}()
	wait := func(limit time.Duration, interruptible bool) bool {
		for end := time.Now().Add(limit); ; {
			select {
			case <-read:
				return true
			case <-time.After(20 * time.Millisecond):
			}
			if time.Now().After(end) || interruptible && exec.Msg.Kernel().Interrupted.Load() {
				return false
			}
		}
	}
	if wait(endDelay, false) || wait(outputDelay, true) {
		return
	}
	names := []string{}
	for round := 0; round < 10; round++ {
		for _, name := range endHolders(round > 0, exec.cmdStdout, exec.cmdStderr) {
			if round == 0 {
				names = append(names, name)
			}
		}
		if wait(endDelay, false) {
			break
		}
	}
	_ = exec.cmdStdout.Close()
	_ = exec.cmdStderr.Close()
	<-read
	_ = exec.Msg.Publish("` + front.EndedType + `", map[string]any{"processes": names})
}

// characters reads text in pieces none of which ends in the middle of a character.
type characters struct {
	from io.Reader
	rest []byte // the bytes of a character that has begun
}

func (c *characters) Read(p []byte) (int, error) {
	if len(p) < 2*utf8.UTFMax {
		return 0, io.ErrShortBuffer
	}
	for {
		n := copy(p, c.rest)
		c.rest = c.rest[:0]
		m, err := c.from.Read(p[n:])
		n += m
		if err != nil {
			return n, err
		}
		for back := 1; back < utf8.UTFMax && back <= n; back++ {
			if utf8.RuneStart(p[n-back]) {
				if !utf8.FullRune(p[n-back : n]) {
					c.rest = append(c.rest, p[n-back:n]...)
					n -= back
				}
				break
			}
		}
		if n > 0 {
			return n, nil
		}
	}
}
`

const childrenLinux = `package jpyexec

import (
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// endWithParent lets the system kill the program when this process ends.
func endWithParent(cmd *osexec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}

// endHolders tells the other processes that have pipes open to end, or kills them. It gives their names.
func endHolders(kill bool, pipes ...io.Closer) (names []string) {
	signal := syscall.SIGTERM
	if kill {
		signal = syscall.SIGKILL
	}
	held := map[string]bool{}
	for _, p := range pipes {
		if f, is := p.(*os.File); is {
			if info, err := f.Stat(); err == nil {
				held[fmt.Sprintf("pipe:[%d]", info.Sys().(*syscall.Stat_t).Ino)] = true
			}
		}
	}
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, process := range processes {
		pid, err := strconv.Atoi(filepath.Base(process))
		if err != nil || pid == os.Getpid() {
			continue
		}
		files, _ := filepath.Glob(process + "/fd/*")
		for _, file := range files {
			if to, err := os.Readlink(file); err != nil || !held[to] {
				continue
			}
			name, _ := os.ReadFile(process + "/comm")
			if syscall.Kill(pid, signal) == nil {
				names = append(names, fmt.Sprintf("%s, process %d", strings.TrimSpace(string(name)), pid))
			}
			break
		}
	}
	return names
}
`

const childrenOthers = `//go:build !linux

package jpyexec

import (
	"io"
	osexec "os/exec"
)

func endWithParent(*osexec.Cmd) {}

// endHolders finds no process: here the cell ends without its children.
func endHolders(bool, ...io.Closer) []string { return nil }
`
