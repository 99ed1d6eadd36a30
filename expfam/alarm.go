package expfam

import (
	"fmt"
	"slices"
	"strings"
)

const (
	// tailDraws is the number of draws from which a mean above its own 97.5% point is no chance: then at most one in
	// forty draws lies above the mean.
	tailDraws = 40
	// mostGaps is the share of cells without data from which a learned prior's parameters are not accurate.
	mostGaps = 0.6
	// mostUneven is the ratio of the mean to the harmonic mean of precisions from which they are not accurate beside
	// cells without data.
	mostUneven = 5
	// fewData is the number of data below which an alarm is raised where fitted hyperparameters are taken as known. On
	// small simulated maps intervals of 95% held 33% of the truths with one datum, 75% with three, and 90% with ten. On
	// a map of 256×256 cells intervals of 90% held 68% with 29 data in windows.
	fewData = 100
)

// Alarm returns sentences that say what is wrong with the posterior and what to do, or "" if nothing is known to be
// wrong. They are the alarms of Info.Outside, Info.Certificate and Info.Local; parameters of a
// learned prior beside few data; means that a few huge draws make; hyperparameters that were fitted to few data, or
// that ended at a bound of their search; and parameters that the data put beyond their prior.
func (p *Posterior) Alarm() string {
	return sentences(p.Info.outsideAlarm(), p.Info.Certificate.alarm(p.Info.Method), p.Info.unmixedAlarm(),
		p.Info.gapsAlarm(), p.Info.Local.Alarm(), p.tailAlarm(), p.Info.examineAlarm(), p.Info.fitAlarm(),
		p.parameterAlarm())
}

// sentences joins the texts that are not empty.
func sentences(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(text string) bool { return text == "" }), " ")
}

// tailAlarm names cells in which the mean of θ lies above the 97.5% point of θ. Cells of effects that are added, whose
// operator has the method Addends, have no θ of their own: there it names data.
func (p *Posterior) tailAlarm() string {
	if p.X == nil || p.X.RawMatrix().Rows < tailDraws {
		return ""
	}
	if _, added := p.Likelihood.Operator.(interface{ Addends() int }); added {
		seen, err := p.Seen()
		if err != nil || len(seen) == 0 {
			return "" // the sampler has refused such an operator
		}
		return seen[0].tailAlarm()
	}
	count, high := 0, p.Quantile(0.975)
	for j, mean := range p.Mean() {
		if mean > high[j] {
			count++
		}
	}
	if count == 0 {
		return ""
	}
	return fmt.Sprintf("In %d of %d cells the mean is above its own 97.5%% point, because few draws are huge: "+
		"the data hardly bound θ there, so read medians and intervals, or give the prior a smaller standard deviation.",
		count, len(high))
}

// unmixedAlarm warns that the chains that were to make draws exact did not forget where they began.
func (i Info) unmixedAlarm() string {
	if i.Diagnostics["unmixed"] == 0 {
		return ""
	}
	return "The chains of the pilot run did not forget their starts, so these draws may depend on theirs: compare " +
		"them with hmc.Sample."
}

// gapsAlarm warns that few cells have data beside the unknown parameters of a learned prior, or data of very different
// precision.
func (i Info) gapsAlarm() string {
	g, times := i.Diagnostics["gaps"], i.Diagnostics["uneven"]
	switch {
	case g > mostGaps:
		return fmt.Sprintf("Of the cells %.0f%% have no data, so parameters of rough curves, such as length scales, "+
			"may be .3 standard deviations off and their intervals too wide: train with Ahead, the number of the last "+
			"cells that no datum looks at, or take an exact family, such as gp.Unknown.", 100*g)
	case g > 0 && times > mostUneven:
		return fmt.Sprintf("Of the cells %.0f%% have no data, and the mean precision of the other data is %.0f times "+
			"their harmonic mean, so intervals of parameters may be twice too wide: train with Ahead, the number of "+
			"the last cells that no datum looks at.", 100*g, times)
	}
	return ""
}

// fitAlarm warns that hyperparameters were fitted to few data, or that some ended at a bound of their search.
func (i Info) fitAlarm() string {
	d, few, bound := i.Diagnostics, "", ""
	if d["fitted"] > 0 && d["data"] < fewData {
		few = fmt.Sprintf("The hyperparameters were fitted to %.0f data and are taken as known, so the intervals "+
			"are too narrow: take a coarser grid without a Window, or give Range and SD.", d["data"])
	}
	if n := d["at_bound"]; n > 0 {
		which := "One of the fitted hyperparameters lies at a bound of its search"
		if n > 1 {
			which = fmt.Sprintf("%.0f of the fitted hyperparameters lie at bounds of their searches", n)
		}
		bound = fmt.Sprintf("%s (range %.3g, sd %.3g, nugget %.3g): the data do not bound it, so give Range, SD or "+
			"Nugget.", which, d["range"], d["sd"], d["nugget"])
	}
	return sentences(few, bound)
}

// parameterAlarm names a parameter whose draws lie beyond the quantiles of its prior at 1/800 and 799/800, most of them
// on one side: the law and the data contradict each other.
func (p *Posterior) parameterAlarm() string {
	for _, q := range p.Parameters {
		if n := len(q.Prior); n > 1 && len(q.Draws) > 1 {
			if m := q.Median(); m < q.Prior[0] || m > q.Prior[n-1] {
				return fmt.Sprintf("The data put the %s at %.3g, which its prior, %s, holds to be nearly impossible: "+
					"check the unit of the data, or give a wider law.", q.Name, m, q.Law)
			}
		}
	}
	return ""
}
