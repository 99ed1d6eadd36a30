package learn

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/speak"
)

// Resizable is a simulator whose images exist on grids of any size.
type Resizable interface {
	expfam.Simulator
	expfam.Lattice
	// Resized returns the simulator of images of so many cells.
	Resized(rows, cols int) expfam.Simulator
}

// Scales says what a prior's images look like at several scales: the mean square of the details (1 − U P) Pᵏ x₀ in the
// notation of [Pyramid].
type Scales struct {
	Training float64   // of the finest details of the training's images
	Larger   []float64 // of larger images, for k = 0, 1 …
}

func (s Scales) String() string {
	all := []string{fmt.Sprintf("details %.4g", s.Training)}
	for _, v := range s.Larger {
		all = append(all, fmt.Sprintf("%.4g", v))
	}
	return strings.Join(all, " ")
}

// detail returns the mean square of the details of level k. Levels that were not measured continue by the last ratio.
func (s Scales) detail(k int) float64 {
	n := len(s.Larger)
	switch {
	case n == 0:
		return s.Training
	case k < n:
		return s.Larger[k]
	case n == 1:
		return s.Larger[0]
	}
	return s.Larger[n-1] * math.Pow(s.Larger[n-1]/s.Larger[n-2], float64(k-n+1))
}

// amplitude returns the amplitude of the images of level k over that of the training's images. It is 1 where the images
// of all levels that were measured have nearly one amplitude.
func (s Scales) amplitude(k int) float64 {
	like := true
	for _, v := range s.Larger {
		a := math.Sqrt(v / s.Training)
		like = like && a < alike && a > 1/alike
	}
	if like {
		return 1
	}
	return math.Sqrt(s.detail(k) / s.Training)
}

const (
	// scaleDraws is the number of images of each size that are measured.
	scaleDraws = 100
	// measuredScale is the side of the larger images over that of the training's.
	measuredScale = 4
	// alike is the ratio of two amplitudes below which a network that adapts takes them for one, and mostBent that of
	// two ratios of neighbouring amplitudes from which images do not look alike.
	alike, mostBent = 1.5, 1.25
)

// Measure returns the prior with what it needs to know of larger images: their amplitudes at several scales, from
// draws of the simulator on the grid of the training and on one of four times its sides. Images that look alike at no
// two scales, such as smooth fields with a length scale, are refused: a network of small images knows nothing of their
// long waves.
func (p *Prior) Measure(sim Resizable) (*Prior, error) {
	ctx, stop := speak.Interruptible()
	defer stop()
	return p.MeasureContext(ctx, sim)
}

// MeasureContext is [Prior.Measure] with a context: it ends when ctx ends.
func (p *Prior) MeasureContext(ctx context.Context, sim Resizable) (*Prior, error) {
	net, ok := p.Net.(nn.Resizer)
	if !ok || sim == nil {
		return nil, fmt.Errorf("prior: %v stays on its cells, or there is no simulator; train an nn.UNet, and give a "+
			"simulator that is Resizable", p)
	}
	rows, cols := net.Lattice()
	measured := *p
	var err error
	if measured.scales, err = scalesOf(ctx, sim, rows, cols); err != nil {
		return nil, fmt.Errorf("prior: %w", err)
	}
	return &measured, nil
}

// scalesOf measures a simulator on the grid of a training.
func scalesOf(ctx context.Context, sim Resizable, rows, cols int) (s Scales, err error) {
	own, err := details(ctx, sim.Resized(rows, cols), rows, cols)
	if err != nil {
		return s, err
	}
	large, err := details(ctx, sim.Resized(measuredScale*rows, measuredScale*cols), measuredScale*rows,
		measuredScale*cols)
	if err != nil {
		return s, err
	}
	if len(own) < 2 {
		return s, fmt.Errorf("images of %d×%d cells have too few scales to compare; train on at least 32 rows and "+
			"columns", rows, cols)
	}
	step := math.Sqrt(own[1] / own[0])
	for k, v := range large {
		if a := math.Sqrt(v / own[0]); k == 0 && !(a < alike && a > 1/alike) {
			return s, fmt.Errorf("the finest details of %v have %.3g times the amplitude on a grid of %d times the "+
				"sides; let a larger grid show more of a scene, with cells of the same size", sim, a, measuredScale)
		}
		if k == 0 {
			continue
		}
		now := math.Sqrt(v / large[k-1])
		if bent := now / step; !(bent < mostBent && bent > 1/mostBent) {
			return s, fmt.Errorf("%v does not look alike at all scales: means of %d×%d cells have details of %.3g "+
				"times the amplitude of the next finer ones, and the finest have %.3g; train on images of the size of "+
				"the data", sim, 1<<k, 1<<k, now, step)
		}
	}
	return Scales{Training: own[0], Larger: large}, nil
}

// details returns δ_k² of images, for all k whose blocks leave at least leastSide cells on the shorter side.
func details(ctx context.Context, sim expfam.Simulator, rows, cols int) (squares []float64, err error) {
	if sim.Dim() != rows*cols {
		return nil, fmt.Errorf("%v has %d cells, and Resized was asked for %d×%d", sim, sim.Dim(), rows, cols)
	}
	rng, x := expfam.Stream(0, "scales"), make([]float64, rows*cols)
	for range scaleDraws {
		if ended(ctx) {
			return nil, fmt.Errorf("%w while images of several scales were measured; run it again",
				expfam.ErrInterrupted)
		}
		if err := drawOf(sim, rng, x); err != nil {
			return nil, err
		}
		image, r, c := append([]float64(nil), x...), rows, cols
		for k := 0; min(r, c) >= 2*leastSide; k++ {
			if k == len(squares) {
				squares = append(squares, 0)
			}
			half := make([]float64, (r/2)*(c/2))
			for i := range r / 2 {
				for j := range c / 2 {
					a, b := image[2*i*c+2*j:], image[(2*i+1)*c+2*j:]
					mean := (a[0] + a[1] + b[0] + b[1]) / 4
					half[i*(c/2)+j] = mean
					for _, v := range []float64{a[0], a[1], b[0], b[1]} {
						squares[k] += (v - mean) * (v - mean) / float64(4*len(half)*scaleDraws)
					}
				}
			}
			image, r, c = half, r/2, c/2
		}
	}
	return squares, nil
}
