package live

import (
	"math"
	"time"
)

// patience holds the times for which a session waits.
type patience struct {
	connect time.Duration // for the first message of the front end
	silence time.Duration // for the next message
	settle  time.Duration // for another movement, before a figure under the pointer becomes interactive
	answer  time.Duration // for a figure, before newer values are answered without one
	resend  time.Duration // for the front end to report the figure, before the figure is sent again
	quick   time.Duration // between two preliminary figures
	frames  time.Duration // for the settings that are drawn at the end
	hurry   time.Duration // for these settings after an interrupt: GoNB kills a program after 5 s

	farewell time.Duration // for the front end to stop sending
}

var usual = patience{connect: 6 * time.Second, silence: 15 * time.Second, settle: 300 * time.Millisecond,
	answer: 20 * time.Millisecond, resend: 400 * time.Millisecond, quick: 250 * time.Millisecond,
	frames: 10 * time.Second, hurry: 2500 * time.Millisecond, farewell: 400 * time.Millisecond}

// endless is for a front end that ends together with the program.
var endless = patience{connect: math.MaxInt64, silence: math.MaxInt64, settle: usual.settle, answer: usual.answer,
	resend: usual.resend, quick: usual.quick, frames: 1, hurry: 1, farewell: 1}
