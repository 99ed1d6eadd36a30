package jupyter

// mostReplays is the number of signatures in each of the two sets of replays; Jupyter's own sessions remember as many.
const mostReplays = 1 << 16

// replays remembers the last messages by their signatures: at least the last 65536, at most twice as many.
type replays struct{ now, before map[string]struct{} }

// add adds a signature and reports whether it is new.
func (r *replays) add(signature string) bool {
	if _, again := r.now[signature]; again {
		return false
	}
	if _, again := r.before[signature]; again {
		return false
	}
	if r.now == nil || len(r.now) == mostReplays {
		r.now, r.before = map[string]struct{}{}, r.now
	}
	r.now[signature] = struct{}{}
	return true
}
