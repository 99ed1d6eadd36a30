package command

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
