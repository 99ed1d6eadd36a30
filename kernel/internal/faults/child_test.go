package faults

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
)

// child names what this process does instead of tests, and childArgs with what.
const child, childArgs = "EXPFAM_FAULTS_CHILD", "EXPFAM_FAULTS_ARGS"

// children are what a process can do. Each prints a line when it begins.
var children = map[string]func(args string) error{
	"write": writeForever, "full": writeFull, "sample": sampleOnce, "train": trainOnce,
}

// process is a copy of this program that does something else.
func process(name, args, storeDir string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), child+"="+name, childArgs+"="+args, "EXPFAM_STORE="+storeDir)
	return cmd
}

// kill starts a process and ends it without a warning, so long after it began. It
// tells whether the process was still at work.
func kill(t *testing.T, cmd *exec.Cmd, after time.Duration) bool {
	t.Helper()
	out := must.Get(cmd.StdoutPipe())(t)
	var log strings.Builder
	cmd.Stderr = &log
	must.Do(t, cmd.Start())
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		cmd.Wait()
		t.Fatalf("the process did not begin: %v\n%s", err, &log)
	}
	time.Sleep(after)
	cmd.Process.Kill()
	io.Copy(io.Discard, out)
	return cmd.Wait() != nil
}

// begin says that the work begins.
func begin() { fmt.Println("begin") }
