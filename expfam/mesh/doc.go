// Package mesh has Matérn fields with barriers, on meshes of triangles and on lattices of cells.
//
//	coast, err := mesh.Outline{Rings: sea, Edge: 5}.Mesh()          // km
//	field := mesh.Matern{On: coast, Barrier: true, LevelSD: 10}     // correlation goes around land
//	at, err := coast.At(x, y, 0)                                    // surveys between the nodes
//	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink, Operator: at}
//	post, err := diffusion.Sample(gp.Unknown{Of: field}, like, obs, diffusion.Sampler{})
//
// Coordinates are those of a plane, such as kilometres of a projection of package geodesy. A graph.Block puts a field
// beside other effects.
//
// # Reading order
//
// mesh.go, outline.go and delaunay.go make triangles; at.go is the operator of places between nodes; elements.go and
// lattice.go are the matrices of the equation, and matern.go is the prior.
package mesh
