// Package survey reads tables of prevalence surveys (how many people were examined at a place, and how many were
// positive), puts them on a map, and simulates surveys where there is no table.
//
//	table, err := survey.Table{Columns: survey.MalariaAtlas, Years: survey.Range{Low: 2000}}.Read("pf.csv")
//	fmt.Println(table)                              // rows used, filtered, refused, and why
//	m, err := land.Frame{}.Map()                    // sub-Saharan Africa on 64 × 64 cells
//	cells, err := survey.Aggregate(m, table.Sites)
//	obs, err := like.Observe(cells.Data())          // Binomial with n of every cell
//
// Repeated hold-outs of cells are calibrate.Splits{Grid: m.Grid, Obs: obs}. No row disappears: Rows = Used + filtered
// + Refused in every [Report]. If you have no table, [Campaign] simulates surveys with a known truth.
//
// # Where tables are
//
// No survey comes with this package, because licences of surveys require a citation, and
// some require more. Addresses change; these were published in 2024 and 2017.
//
//   - Malaria Atlas Project, parasite-rate surveys: download the CSV from
//     https://data.malariaatlas.org, or from its server,
//     https://data.malariaatlas.org/geoserver/Malaria/ows?service=WFS&version=2.0.0&request=GetFeature&outputFormat=csv&TypeName=Malaria:202406_Global_Pf_Parasite_Rate_Surveys
//     or in R, write.csv(malariaAtlas::getPR(continent = "Africa", species = "Pf"), "pf.csv").
//     Read it with Columns: [MalariaAtlas].
//   - Snow et al. 2017, 50 424 surveys since 1900: the tab-separated file of
//     https://doi.org/10.7910/DVN/Z29FR0. Read it with Columns: [Snow].
package survey
