package calendar_test

import (
	"testing"

	"github.com/expfam/lab/expfam/calendar"
	"github.com/expfam/lab/internal/must"
)

// Weeks start on their Mondays (the first of 2021 on 4 January), months and years on their first days.
func TestStarts(t *testing.T) {
	for text, want := range map[string]string{"2020-W53": "2020-12-28", "2021-W01": "2021-01-04",
		"2024-02":    "2024-02-01",
		"2024-02-29": "2024-02-29"} {
		times := must.Get(calendar.Calendar{}.Read(text))(t)
		must.Equal(t, times.Starts()[0].Format("2006-01-02"), want, text)
		must.Equal(t, len(times.Ahead(3).Starts()), 4, text, "and three ahead")
	}
}
