package command

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/jupyter"
)

// cellPrograms are the processes of cells of the kernels whose temporary files are in a folder.
func cellPrograms(tmp string) (pids []int) {
	folders, _ := filepath.Glob(filepath.Join(tmp, "expfam-front-*", "gonb_*"))
	for _, dir := range folders {
		pids = append(pids, processes(dir, os.Getpid())...)
	}
	return pids
}

// testChildren runs cells whose children outlive them. No cell may be held by a child, and none may end a child that
// has an output of its own.
func testChildren(t *testing.T, g gonb) {
	k := g.start(t, g.home, nil)
	const ended = `a child process \((sleep|sh|bash), process [0-9]+\) of the cell kept its output open after its end, ` +
		`and was ended`
	start := func(script string) string {
		return "cmd := exec.Command(\"sh\", \"-c\", `" + script + "`)\n" +
			"cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr\ncmd.Start()\nfmt.Println(\"end\")"
	}
	waits := strings.Replace(start("echo busy; exec sleep 666"), "cmd.Start()", "cmd.Run()", 1)
	cases := []struct {
		name, source string
		interruptAt  string
		status, want string // want is a regular expression for what is on standard output
	}{
		{"a grandchild in a session of its own", start("setsid sleep 666 & exit"), "", "ok", ended},
		{"a child that does not listen", start("trap '' TERM; sleep 666 & wait; sleep 666"), "", "ok",
			`[2-3] child processes|` + ended},
		{"for which the program waits, interrupted", waits, "busy", "error", ended},
		{"that ends by itself", start("sleep 1; echo late"), "", "ok", `^end\nlate\n$`},
		{"with an output of its own", start("exec sleep 667 >/dev/null 2>&1"), "", "ok", `^end\n$`},
		{"a child", start("exec sleep 666"), "", "ok", `^end\n` + ended},
		{"on standard error alone", "cmd := exec.Command(\"sleep\", \"666\")\ncmd.Stderr = os.Stderr\ncmd.Start()", "",
			"ok",
			"^" + ended},
		{"children of children", start("(sleep 666 & sleep 666 & sleep 666) & sleep 666"), "", "ok",
			`[45] child processes \(.*; .*; .*\) of the cell`},
		{"a command of the shell", "!sleep 666 &", "", "ok", ended},
		{"a script", "%%bash\nnohup sleep 666 &", "", "ok", ended},
		{"beside a panic", start("exec sleep 666") + "\npanic(\"no\")", "", "error", ended},
		{"interrupted after its program's end", start("sleep 0.5; echo busy; exec sleep 666"), "busy", "ok", ended},
	}
	for _, c := range cases[:fulltest.N(5, len(cases))] {
		t.Run(c.name, func(t *testing.T) {
			run := runCell(t, k, c.source, c.interruptAt)
			text := run.text("stdout")
			must.Be(t, run.reply.Status == c.status && regexp.MustCompile(c.want).MatchString(text),
				"status %s, want %s; %q, want %q", run.reply.Status, c.status, text, c.want)
			for _, pid := range sleepers(k, "666") {
				awaitGone(t, "a child", pid, 10*time.Second)
			}
			t.Logf("%.1f s", run.wall.Seconds())
		})
	}
	must.Equal(t, len(sleepers(k, "667")), 1, "the child with an output of its own")
	k.Stop()
	must.Equal(t, len(sleepers(k, "667")), 0, "it outlives the kernel")
}

// sleepers are the processes sleep that a kernel's cells have started, by their argument.
func sleepers(k *jupyter.Kernel, seconds string) []int {
	return slices.DeleteFunc(processes("sleep\x00"+seconds, os.Getpid()), func(pid int) bool {
		env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		return err != nil || !strings.Contains(string(env), k.TempDir())
	})
}

// Characters whose bytes are written one after the other arrive whole, whatever comes between.
func testCharacters(t *testing.T, g gonb) {
	k := g.start(t, g.home, nil)
	const slowly = "for _, b := range []byte(text) {\n\tout.Write([]byte{b})\n\ttime.Sleep(20 * time.Millisecond)\n}"
	for _, c := range []struct{ name, text, stream string }{
		{"two bytes", "é", "Stdout"}, {"three", "a€b", "Stdout"}, {"four", "😀", "Stdout"},
		{"on standard error", "ß😀ß", "Stderr"}, {"a line of each", "é\n€\n😀\n", "Stdout"},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := runCell(t, k, fmt.Sprintf("%%%%\ntext, out := %q, os.%s\n%s", c.text, c.stream, slowly), "")
			must.Equal(t, run.text(strings.ToLower(c.stream)), c.text)
		})
	}
	t.Run("a long text in pieces", func(t *testing.T) {
		run := runCell(t, k, "fmt.Print(\"x\" + strings.Repeat(\"€\", 30000))", "")
		must.Equal(t, run.text("stdout"), "x"+strings.Repeat("€", 30000), "bytes", "of them wrong characters")
	})
	t.Run("bytes that are no character", func(t *testing.T) {
		run := runCell(t, k, "os.Stdout.Write([]byte(\"caf\\xe9\"))", "")
		must.Equal(t, run.text("stdout"), "caf\ufffd")
	})
}
