package diffusion_test

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/internal/neartest"
)

type node = graph.Node

var near, differences = neartest.Relative, neartest.Differences
