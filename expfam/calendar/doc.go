// Package calendar puts dates on equally spaced times, one cell for each day, week, month or year:
//
//	weeks := expfam.Must(calendar.Calendar{}.Read("2026-W05", "2026-W06", "2026-W08"))
//	obs := expfam.Must(like.Observe1(expfam.Must(weeks.Spread(3, 5, 2))...))
//
// A week without a row is a cell without data, so the weeks beside a gap are no neighbours. [Times.Ahead] adds cells
// without data at the end, for forecasts.
package calendar
