package survey_test

import (
	"fmt"
	"strings"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/land"
	"github.com/expfam/lab/expfam/survey"
)

func Example() {
	table := strings.NewReader(`latitude;longitude;examined;pf_pos;site_name
7,38;3,94;412;340;Ibadan
6,45;3,39;299;4;Lagos
10,52;7,44;216;310;Kaduna
3,39;6,45;120;12;
;;55;20;Kano
`)
	m, err := land.Frame{Country: "Nigeria", Rows: 32}.Map()
	if err != nil {
		fmt.Println(err)
		return
	}
	cells, err := survey.NewCells(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := survey.Table{Columns: survey.MalariaAtlas}.Scan(table, cells.Add)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report)
	obs, err := expfam.Likelihood{Family: expfam.Binomial{},
		Link: expfam.MustLink("sigmoid(5*x)")}.Observe(cells.Data())
	fmt.Println(len(obs), cells.Occupied(), err)
	// Output:
	// 5 rows: 2 used, 0 filtered, 3 refused
	//   columns: Longitude "longitude", Latitude "latitude", Examined "examined", Positive "pf_pos", Name "site_name"; separated by ';'
	//   refused: 1 more positive than examined, 1 longitude and latitude exchanged, 1 no coordinates
	//   line 4: more positive than examined: 310 positive of 216 examined; the columns may be exchanged, or positives be of another test
	//   line 5: longitude and latitude exchanged: longitude 6.45, latitude 3.39 is far from land, exchanged it is in coastal waters; exchange them; if they are right, north of the countries that the map has, set Window to land.World
	//   line 6: no coordinates: longitude is "", latitude ""; look the place up, or leave the row out; some surveys keep their places secret
	// 1024 2 <nil>
}

// A campaign that is simulated, where no table is at hand: its truth is known.
func ExampleCampaign() {
	m, err := land.Frame{Country: "Nigeria", Rows: 32}.Map()
	if err != nil {
		fmt.Println(err)
		return
	}
	x0 := make([]float64, m.Grid.Len()) // prevalence one half everywhere
	simulated, err := survey.Campaign{Cells: 0.05, Scatter: survey.CellRates{Rho: 0.1}, Seed: 1}.Simulate(m, x0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(simulated)
	s := simulated.Sites[0]
	fmt.Printf("the first survey: %d of %d positive\n", s.Positive, s.Examined)
	// Output:
	// simulated survey campaign, no real data: 145 surveys, 9525 positive of 18959 examined, in 52 cells: 5.08% of all and 7.76% of the land
	// 32 × 32 cells of 0.373° by 0.3°, lon-lat; 670 on land, 1344 to 1379 km² each, 913311 km² in all; 0 in lakes
	// 145 rows: 145 used, 0 filtered, 0 refused
	// the first survey: 31 of 99 positive
}
