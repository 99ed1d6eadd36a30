// Package graph has Gaussian priors of areas, of times, and of both.
//
//	counties := expfam.Must(graph.ReadGAL("counties.gal"))
//	prior := gp.Unknown{Of: graph.BYM2{Neighbours: counties, LevelSD: 3}}
//	post := expfam.Must(diffusion.Sample(prior, like, obs, diffusion.Sampler{}))
//
// [Neighbours] is the graph of the areas. [Borders] finds it from outlines, [ReadGAL] reads it from a file, and [Edges]
// and [Adjacent] make it of pairs and of a matrix. The priors of areas are [ICAR], [BYM2], [Leroux], [CAR] and [DAGAR];
// those of equally spaced times are [Walk], [AR1] and [Seasonal]; [Groups] are independent. [SpaceTime] joins an area
// prior and a time prior in the four types of Knorr-Held, and [Kronecker] is the product of any two priors. [Sum] adds
// effects of groups, of covariates and of any priors in one formula.
//
// Each of them is a [gp.Family]: numbers that are 0 are not known, and gp.Unknown infers them with the field. Its
// method Gaussian returns the prior of known numbers with exact moments. A level of all cells, N(Level, LevelSD²), is
// integrated out. Covariates stand beside the field in a [Sum].
//
// Most priors have a sparse precision, which gp.Unknown takes. Covariances are dense: n areas take n³ operations once,
// and n² numbers of memory. Priors of space and time never form the covariance of all cells.
//
// # Reading order
//
// neighbours.go, components.go, borders.go and a file for each other source of neighbours; structure.go, effect.go,
// icar.go, bym2.go, mixing.go and a file for each other prior; walk.go, ar1.go, seasonal.go, groups.go; kronecker.go,
// spacetime.go; sum.go, terms.go.
package graph
