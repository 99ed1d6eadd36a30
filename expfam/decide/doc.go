// Package decide turns a posterior into decisions: which datum moved it, where the next survey should go, and which
// districts to act in. Package calibrate asks whether a posterior is right, and this package what to do about it. All
// results are sums over the draws; no model is fitted again.
//
//	moved, err := decide.Influence{}.Of(post, obs, meanOfDistrict) // which surveys made it so
//	gains, err := decide.Survey{Size: 100, Value: decide.Variance{}}.Gains(post)    // where 100 examinations help
//
// most
//
//	choice, err := decide.Problem{Loss: decide.Threshold{At: 0.2, Missed: 4, False: 1}, Budget: 5}.Choose(districts)
//
// Reading order: influence.go, influence_map.go; loss.go, problem.go, knapsack.go; value.go, survey.go, batch.go.
package decide
