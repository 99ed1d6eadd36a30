package joint_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/joint"
	"github.com/expfam/lab/internal/must"
)

// BenchmarkDraws makes 500 independent draws of 30 Poisson cells with unknown length scale and sd, from start to
// finish. The model and the data are those of testdata/reference.py.
func BenchmarkDraws(b *testing.B) {
	var all map[string]reference
	must.Do(b, json.Unmarshal(must.Get(os.ReadFile("testdata/reference.json"))(b), &all))
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(1+x)")}
	obs := must.Get(like.Observe1(all["poisson"].Y...))(b)
	for b.Loop() {
		must.Get(joint.Sample(unknown, like, obs, joint.Options{Fresh: true}))(b)
	}
}
