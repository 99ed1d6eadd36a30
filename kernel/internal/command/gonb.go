package command

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/expfam/lab/kernel/internal/front"
)

// gonbPatches mend the pinned release of GoNB, from whose source install builds it:
//
//   - An interrupt counts while a cell is compiled. GoNB passes interrupts on to the program of a cell, and had dropped
//     those that came before there was one.
//   - So does one between the start of a program and GoNB's subscription to interrupts, a moment later: an endless loop
//     that printed at once and was stopped at once ran for good.
//   - A program whose front end has no input for it reads the end of its standard input, instead of waiting for good.
//   - A cell may be a whole program in a file, which is compiled as it stands. The front (package front) composes
//     programs itself, with the lines of cells; GoNB would parse them, run goimports and go get, and write its own.
//   - gopls is not started, which takes seconds and hundreds of megabytes: the front answers what it was for.
//
// [outputPatches] mend what children of programs did.
var gonbPatches = append([]patch{
	{"internal/dispatcher/dispatcher.go", "\t\t\tmsg.Kernel().CallInterruptSubscribers()\n\t\t\treplyContent",
		"\t\t\tmsg.Kernel().Interrupted.Store(true)\n" +
			"\t\t\tmsg.Kernel().CallInterruptSubscribers()\n\t\t\treplyContent"},
	{"internal/goexec/execcode.go", "cmd.CombinedOutput()", "interruptible(msg, cmd)"},
	added("internal/goexec/interruptible.go"),
	added("internal/goexec/group_unix.go"),
	added("internal/goexec/group_windows.go"),
	{"internal/jpyexec/jpyexec.go", "\t\texec.handleStaticInput()\n\t}\n",
		"\t\texec.handleStaticInput()\n\t} else if !exec.inputAllowed() {\n\t\t_ = exec.cmdStdin.Close()\n\t}\n"},
	{"internal/jpyexec/jpyexec.go", "\tif exec.stdinContent != nil {\n\t\texec.handleStaticInput()",
		"\tif exec.Msg.Kernel().Interrupted.Load() {\n\t\texec.Msg.Kernel().CallInterruptSubscribers()\n\t}\n\tif " +
			"exec.stdinContent != nil {\n\t\texec.handleStaticInput()"},
	added("internal/jpyexec/input.go"),
	{"internal/goexec/execcode.go", "\tklog.V(2).Infof(\"ExecuteCell: after AutoTrack\")\n",
		"\tif path, is := wholeProgram(lines); is {\n\t\treturn s.executeProgram(msg, path)\n\t}\n"},
	added("internal/goexec/program.go"),
	{"internal/goexec/goexec.go", "\tif _, err = exec.LookPath(\"gopls\"); err == nil {",
		"\tif true {\n\t} else if _, err = exec.LookPath(\"gopls\"); err == nil {"},
}, outputPatches...)

// gonbFiles has the files that the patches add to GoNB, with the names of what they share with the front in capitals.
//
//go:embed gonb
var gonbFiles embed.FS

// added returns the patch that adds a file to GoNB.
func added(file string) patch {
	text, err := gonbFiles.ReadFile("gonb/" + path.Base(file) + ".txt")
	if err != nil {
		panic(err)
	}
	return patch{file, "", strings.NewReplacer("PROGRAM_PREFIX", front.ProgramPrefix, "BUILT_TYPE", front.BuiltType,
		"ENDED_TYPE", front.EndedType).Replace(string(text))}
}

// patch replaces a text in a file of a module wherever it stands; "" makes a new file.
type patch struct{ file, old, new string }

// apply changes the module in dir. A text that isn't there is an error: it is a patch of another release.
func (p patch) apply(dir string) error {
	path := filepath.Join(dir, filepath.FromSlash(p.file))
	if p.old == "" {
		return os.WriteFile(path, []byte(p.new), 0o644)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !bytes.Contains(data, []byte(p.old)) {
		return fmt.Errorf("%s has no %q to patch: the patch is for another release", path, p.old)
	}
	return os.WriteFile(path, bytes.ReplaceAll(data, []byte(p.old), []byte(p.new)), 0o644)
}

// patchTag returns a build tag that says with which patches a tool was built; "" for none.
func patchTag(patches []patch) string {
	if len(patches) == 0 {
		return ""
	}
	h := sha256.New()
	for _, p := range patches {
		fmt.Fprintf(h, "%q %q %q\n", p.file, p.old, p.new)
	}
	return "expfam_" + hex.EncodeToString(h.Sum(nil)[:6])
}

// patched makes a copy of a module's source in dir and applies the patches to it. It also writes a go.mod that puts the
// copy in the place of the module, and returns its path, which the go command takes as -modfile.
func (c checkout) patched(ctx context.Context, dir, module string, patches []patch) (modFile string, err error) {
	out, err := c.command(ctx, "", nil, "mod", "download", "-json", module).Output()
	if err != nil {
		return "", fmt.Errorf("go mod download %s: %w", module, err)
	}
	var found struct{ Dir string }
	if err := json.Unmarshal(out, &found); err != nil {
		return "", fmt.Errorf("go mod download %s: %w", module, err)
	}
	source := filepath.Join(dir, "source")
	if err := copySource(source, found.Dir); err != nil {
		return "", err
	}
	for _, p := range patches {
		if err := p.apply(source); err != nil {
			return "", err
		}
	}
	data, err := os.ReadFile(filepath.Join(c.dir, "go.mod"))
	if err != nil {
		return "", err
	}
	mod, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		return "", err
	}
	if err := mod.AddReplace(module, "", source, ""); err != nil {
		return "", err
	}
	if data, err = mod.Format(); err != nil {
		return "", err
	}
	sums, err := os.ReadFile(filepath.Join(c.dir, "go.sum"))
	if err != nil {
		return "", err
	}
	modFile = filepath.Join(dir, "patched.mod")
	if err := os.WriteFile(filepath.Join(dir, "patched.sum"), sums, 0o644); err != nil {
		return "", err
	}
	return modFile, os.WriteFile(modFile, data, 0o644)
}

// copySource copies the files from which the go command builds a module. It leaves out documents and examples, which
// are larger.
func copySource(to, from string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if rel == "docs" || rel == "examples" || strings.HasPrefix(entry.Name(), ".") && rel != "." {
				return filepath.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, 0o644)
	})
}

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
	added("internal/jpyexec/outputs.go"),
	added("internal/jpyexec/children_linux.go"),
	added("internal/jpyexec/children_others.go"),
}

// executor is the file of GoNB that runs programs, and pipes the one that reads what they show.
const executor, pipes = "internal/jpyexec/jpyexec.go", "internal/jpyexec/namedpipes.go"
