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
	obs, err := expfam.Likelihood{Family: expfam.Binomial{}, Link: expfam.MustLink("sigmoid(5*x)")}.Observe(cells.Data())
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
