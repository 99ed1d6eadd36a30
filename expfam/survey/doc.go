// Package survey reads tables of prevalence surveys (how many people were
// examined at a place, and how many were positive), puts them on a map, and
// simulates surveys where there is no table.
//
//	table, err := survey.Table{Columns: survey.MalariaAtlas, Years: survey.Range{Low: 2000}}.Read("pf.csv")
//	fmt.Println(table)                              // rows used, filtered, refused, and why
//	m, err := land.Frame{}.Map()                    // sub-Saharan Africa on 64 × 64 cells
//	cells, err := survey.Aggregate(m, table.Sites)
//	obs, err := like.Observe(cells.Data())          // Binomial with n of every cell
//
// No row disappears: Rows = Used + filtered + Refused in every [Report]. Without
// a table, [Campaign] simulates one whose truth is known.
package survey
