package form

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/viz"
	"github.com/expfam/lab/viz/live"
)

// Guess is a prediction that a reader draws before the answer is shown: a bell curve with a middle and a width. The
// check draws the curve beside the answer, and gives its log score.
type Guess struct {
	Question, XLabel string
	Low, High        float64 // the frame
	// Draws returns the answer when the reader checks the guess: draws of the right distribution, or one number.
	Draws func() ([]float64, error)
}

// Show shows the guess until the reader presses Done.
func (g Guess) Show() { g.Panel().Show() }

// Panel returns the guess as a panel.
func (g Guess) Panel() live.Panel {
	span := g.High - g.Low
	middle := &live.Slider{Label: "your middle", Min: g.Low, Max: g.High, Value: g.Low + span/2, Frames: -1}
	width := &live.Slider{Label: "your standard deviation", Min: span / 100, Max: span / 3, Value: span / 8}
	check := &live.Checkbox{Label: "check"}
	return live.Panel{Controls: []live.Control{middle, width, check}, Draw: func() (viz.Figure, error) {
		return g.figure(middle.Value, width.Value, check.Value)
	}}
}

func (g Guess) figure(middle, width float64, check bool) (viz.Figure, error) {
	fig := viz.Lines{Title: g.Question, XLabel: g.XLabel, YLabel: "density", XMin: g.Low, XMax: g.High, Height: 300}
	const points = 101
	guess := viz.Line{Name: "your guess", Color: viz.OkabeIto[1]}
	for i := range points {
		x := g.Low + (g.High-g.Low)*float64(i)/(points-1)
		guess.X, guess.Y = append(guess.X, x), append(guess.Y, math.Exp(logNormal(x, middle, width)))
	}
	fig.Lines = []viz.Line{guess}
	if !check {
		return fig, nil
	}
	draws, err := g.Draws()
	if err != nil {
		return nil, err
	}
	if len(draws) == 1 {
		fig.Lines = append(fig.Lines, viz.Line{Name: "answer", Color: viz.Ink,
			X: []float64{draws[0], draws[0]}, Y: []float64{0, slices.Max(guess.Y)}})
		fig.Title = fmt.Sprintf("The answer is %.3g; %s", draws[0], verdict(g.Gained(middle, width, draws[0])))
		fig.Note = g.Question + " The log score is the logarithm of the density that the guess gave to the answer."
		return fig, nil
	}
	lost, err := Lost(middle, width, draws)
	if err != nil {
		return nil, err
	}
	fig.Lines = append(fig.Lines, g.bars(draws))
	fig.Title = fmt.Sprintf("You lose %.2f nats of the log score", lost)
	fig.Note = g.Question + " The best bell curve loses 0. Who loses 1 gave the answer e times too little " +
		"probability on average."
	return fig, nil
}

// Lost returns by how much the mean log score of N(middle, width²) over draws is below that of the best normal density,
// in nats: the divergence between them.
func Lost(middle, width float64, draws []float64) (float64, error) {
	if len(draws) < 2 || !(width > 0) {
		return 0, fmt.Errorf("form: %d draws and a width of %g: give two draws or more and a positive width",
			len(draws), width)
	}
	mean, variance := stat.PopMeanVariance(draws, nil)
	return math.Log(width*width/variance)/2 + (variance+(mean-middle)*(mean-middle))/(2*width*width) - 0.5, nil
}

// Gained returns by how much the log score of N(middle, width²) at an answer is above that of a guess that is equally
// likely everywhere in the frame, in nats.
func (g Guess) Gained(middle, width, answer float64) float64 {
	return logNormal(answer, middle, width) + math.Log(g.High-g.Low)
}

func verdict(gained float64) string {
	if gained >= 0 {
		return fmt.Sprintf("your log score is %.2f nats above that of no opinion", gained)
	}
	return fmt.Sprintf("no opinion has a log score %.2f nats above yours", -gained)
}

func logNormal(x, mean, sd float64) float64 {
	z := (x - mean) / sd
	return -z*z/2 - math.Log(sd) - math.Log(2*math.Pi)/2
}

// bars returns the outline of a histogram of the draws with the area 1. Few draws have few bins.
func (g Guess) bars(draws []float64) viz.Line {
	bins := min(50, int(math.Ceil(4*math.Cbrt(float64(len(draws))))))
	width := (g.High - g.Low) / float64(bins)
	counts := make([]float64, bins)
	for _, x := range draws {
		if k := int(math.Floor((x - g.Low) / width)); k >= 0 && (k < bins || x == g.High) {
			counts[min(k, bins-1)] += 1 / (float64(len(draws)) * width)
		}
	}
	line := viz.Line{Name: "answer", Color: viz.Ink}
	for k, y := range counts {
		left := g.Low + float64(k)*width
		line.X, line.Y = append(line.X, left, left+width), append(line.Y, y, y)
	}
	line.Low, line.High = make([]float64, len(line.Y)), line.Y
	return line
}
