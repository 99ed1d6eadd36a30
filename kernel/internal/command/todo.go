package command

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/expfam/lab/internal/speak"
)

// labStep is the step that sets JupyterLab up, which shows its own progress.
const labStep = "JupyterLab"

// typical are the seconds that the long steps took on two idle cores of 2023, with nothing compiled before. What comes
// over the network arrives while the first ones compile.
var typical = map[string]float64{"gonb": 22, "goimports": 4, "ONNX Runtime": 5, libraryStep: 25, labStep: 60}

// missingSteps returns the long steps that are to be done, in their order.
func (in *installer) missingSteps(rec record) (steps []string) {
	if in.pip == nil {
		steps = in.missingTools(rec)
	}
	if rec.Workspace != workspaceKey(in.co, in.env) {
		steps = append(steps, libraryStep)
	}
	return steps
}

// missingTools returns the steps that a wheel saves.
func (in *installer) missingTools(rec record) (steps []string) {
	for _, t := range tools {
		if t.built(in.bin()) != in.co.version(t.module) {
			steps = append(steps, t.name)
		}
	}
	if _, _, done, _ := onnxPart.state(rec); !done && (rec.Parts[onnxPart.name].Error == "" || in.verbose) {
		steps = append(steps, onnxPart.name)
	}
	return steps
}

// seconds returns about how long a step takes here.
func (in *installer) seconds(name string, rec record) (seconds float64, known bool) {
	if seconds, known = rec.Took[name]; known {
		return seconds, true
	}
	if in.pip != nil && in.pip.isPrepared() && name == libraryStep {
		return preparedSeconds, false
	}
	return typical[name], false
}

// announce says once what is to be done, and about how long it takes.
func (in *installer) announce(steps []string, rec record) {
	if len(steps) == 0 || in.steps > 0 {
		return
	}
	in.steps, in.expected = len(steps), map[string]float64{}
	total, here := 0.0, 0
	parts := make([]string, len(steps))
	for i, name := range steps {
		seconds, known := in.seconds(name, rec)
		if known {
			here++
		}
		in.expected[name], total = seconds, total+seconds
		parts[i] = fmt.Sprintf("%s (%s)", name, durationText(seconds))
	}
	source := "typical of two cores"
	if here == len(steps) {
		source = "as it took here last"
	}
	noun := "steps"
	if len(steps) == 1 {
		noun = "step"
	}
	fmt.Fprintf(in.out, "%d %s, about %s, %s: %s\n", len(steps), noun, durationText(total), source,
		strings.Join(parts, ", "))
}

// durationText returns a time as people say it.
func durationText(seconds float64) string {
	switch {
	case seconds < 1.5:
		return "1 s"
	case seconds < 90:
		return fmt.Sprintf("%.0f s", seconds)
	}
	return fmt.Sprintf("%.0f min", math.Ceil(seconds/60))
}

// showProgress shows on a terminal how far the steps have come, until the function that it returns is called.
func (in *installer) showProgress(name string) (stop func()) {
	expected, long := in.expected[name]
	if !long || name == labStep {
		return func() {}
	}
	begin := time.Now()
	end := newStatus(in.out).watch(0, func() string {
		return progressBar(in.done, in.steps, name, time.Since(begin).Seconds(), expected)
	})
	return func() {
		if end() {
			fmt.Fprintf(in.out, "%-20s ", name)
		}
	}
}

// progressBar returns a line about the step that runs: a bar over all steps, of which done are finished, and the time
// of this one.
func progressBar(done, steps int, name string, seconds, expected float64) string {
	share := (float64(done) + min(0.95, seconds/max(expected, 1))) / float64(max(steps, 1))
	return fmt.Sprintf("%s %d of %d  %s, %.0f s of about %s", speak.Blocks(share), done+1, steps, name, seconds,
		durationText(expected))
}
