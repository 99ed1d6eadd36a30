package viz

import (
	"math"
	"time"

	"gonum.org/v1/plot"
)

// Days returns dates as positions on an axis of dates: the days since the beginning of 1970, by the clock of each
// time's own place. The zero time.Time, as of a date that is not known, is NaN.
//
//	viz.Lines{Lines: []viz.Line{{X: viz.Days(weeks...), Y: cases}}, Dates: true}
func Days(times ...time.Time) []float64 {
	out := make([]float64, len(times))
	for i, t := range times {
		if t.IsZero() {
			out[i] = math.NaN()
			continue
		}
		_, offset := t.Zone()
		out[i] = (float64(t.Unix()+int64(offset)) + float64(t.Nanosecond())*1e-9) / 86400
	}
	return out
}

// dayOf returns the time of a position on an axis of dates.
func dayOf(v float64) time.Time { return time.Unix(int64(math.Round(v*86400)), 0).UTC() }

// firstDay and lastDay are the beginnings of the years 1 and 10000.
const firstDay, lastDay = -719162, 2932896

// dateText prints a position on an axis of dates.
func dateText(v float64) string {
	t := dayOf(v)
	switch {
	case t != t.Truncate(time.Minute):
		return t.Format("2006-01-02 15:04:05")
	case t != t.Truncate(24*time.Hour):
		return t.Format("2006-01-02 15:04")
	}
	return t.Format("2006-01-02")
}

// dateStep is a distance between ticks: seconds, minutes, hours, days, weeks that begin on Mondays, months or years.
type dateStep struct {
	days          float64 // mean length
	months, years int
}

var dateSteps = []dateStep{{days: 1. / 86400}, {days: 5. / 86400}, {days: 15. / 86400}, {days: 1. / 1440},
	{days: 5. / 1440}, {days: 15. / 1440}, {days: 1. / 24}, {days: 3. / 24}, {days: 0.25}, {days: 0.5}, {days: 1},
	{days: 2}, {days: 7}, {days: 14}, {days: 30.4, months: 1}, {days: 91.3, months: 3}, {days: 182.6, months: 6},
	{days: 365.25, years: 1}, {days: 730.5, years: 2}, {days: 1826, years: 5}, {days: 3652, years: 10},
	{days: 7305, years: 20}, {days: 18262, years: 50}, {days: 36525, years: 100}, {days: 182625, years: 500},
	{days: 365250, years: 1000}}

// dateTicks returns about want ticks from lo to hi: seconds, minutes, hours, midnights, every second midnight, Mondays,
// first days of months or of years. The first label of a year has the year.
func dateTicks(lo, hi float64, want int) []plot.Tick {
	k := 0
	for k+1 < len(dateSteps) && dateSteps[k].days*float64(want) < (hi-lo)*(1-1e-9) {
		k++
	}
	var at []time.Time
	for ; k >= 0 && len(at) < 2; k-- { // at least two, as other axes have
		at = dateSteps[k].between(lo, hi)
		if len(at) >= 2 {
			break
		}
	}
	s := dateSteps[max(k, 0)]
	var ticks []plot.Tick
	for i, t := range at {
		other := i == 0 || at[i-1].Year() != t.Year()
		midnight := t == t.Truncate(24*time.Hour)
		format, clock := "2 Jan", "15:04"
		if s.days < 1./1440 {
			clock += ":05"
		}
		switch {
		case s.years > 0:
			format, other = "2006", false
		case s.months > 0:
			format = "Jan"
		case s.days < 1 && !midnight && i == 0:
			format, other = "2 Jan "+clock, false
		case s.days < 1 && !midnight:
			format, other = clock, false
		}
		if other {
			format += " 2006"
		}
		ticks = append(ticks, plot.Tick{Value: Days(t)[0], Label: t.Format(format)})
	}
	return ticks
}

// between returns the ticks of a step from lo to hi.
func (s dateStep) between(lo, hi float64) (at []time.Time) {
	const error = 1e-7 // a hundredth of a second, of a sum of floats
	first, last := dayOf(lo-error), dayOf(hi+error)
	add := func(t time.Time) {
		if d := Days(t)[0]; d >= lo-error && d <= hi+error {
			at = append(at, t)
		}
	}
	switch {
	case s.years > 0:
		for y := first.Year() / s.years * s.years; y <= last.Year(); y += s.years {
			if y > 0 {
				add(time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC))
			}
		}
	case s.months > 0:
		for t := time.Date(first.Year(), 1, 1, 0, 0, 0, 0, time.UTC); !t.After(last); t = t.AddDate(0, s.months, 0) {
			add(t)
		}
	default:
		from := 0.0 // midnight of a Thursday
		if s.days >= 7 {
			from = 4 // a Monday
		}
		for n := math.Ceil((lo - error - from) / s.days); from+n*s.days <= hi+error; n++ {
			add(dayOf(from + n*s.days))
		}
	}
	return at
}
