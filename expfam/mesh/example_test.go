package mesh_test

import (
	"fmt"
	"math"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/graph"
	"github.com/expfam/lab/expfam/mesh"
)

// Catches of fish at 90 places around a spit of land are the sum of a field that goes around it, an effect of the boat,
// and a smooth effect of the depth.
func ExampleMatern() {
	bay := expfam.Must(mesh.Outline{Rings: [][][2]float64{coast(1)}, Edge: 1, Margin: 1}.Mesh())
	rng := expfam.Stream(4, "catches")
	var x, y, depth, catches []float64
	var boats []string
	for len(x) < 90 {
		px, py := 10*rng.Float64()-5, 10*rng.Float64()-5
		if _, err := bay.At([]float64{px}, []float64{py}, 0); err != nil {
			continue // on land
		}
		boat := len(x) % 5
		x, y, depth = append(x, px), append(y, py), append(depth, math.Floor(40*rng.Float64()))
		boats = append(boats, fmt.Sprint("boat ", boat))
		rate := math.Exp(1.5 + 0.3*py/5 + 0.2*float64(boat-2) - math.Pow(depth[len(depth)-1]/20-1, 2))
		catches = append(catches, math.Round(max(0, rate+math.Sqrt(rate)*rng.NormFloat64())))
	}
	sum := &graph.Sum{LevelSD: 10, Terms: []graph.Term{
		graph.Block{Name: "field", Of: mesh.Matern{On: bay, Barrier: true}, At: expfam.Must(bay.At(x, y, 0))},
		graph.Group{Name: "boat", Of: boats},
		graph.Smooth{Name: "depth", Of: depth},
	}}
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink, Operator: sum}
	obs := expfam.Must(like.Observe1(catches...))
	post := expfam.Must(diffusion.Sample(gp.Unknown{Of: sum}, like, obs, diffusion.Sampler{Draws: 200, Fresh: true}))
	for _, p := range post.Parameters {
		fmt.Println(p.Name)
	}
	curve := expfam.Must(sum.Part(post, "depth")).Latent().Mean()
	fmt.Println("most at a middle depth:", curve[0] < curve[len(curve)/2] && curve[len(curve)-1] < curve[len(curve)/2])
	fmt.Printf("alarm: %q\n", post.Alarm())
	// Output:
	// field range
	// field sd
	// boat sd
	// depth sd
	// most at a middle depth: true
	// alarm: ""
}
