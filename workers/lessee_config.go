package workers

// compare says so, once, when the fleet works by another configuration than this process has: what this one's says of
// ceilings, paces and hours is not in force then, and nothing else would show it.
func (l *lessee) compare(inForce string, handsOver bool) {
	if l.since == 0 || inForce == "" || handsOver {
		return // it brings its own, or has no say
	}
	other := inForce != l.config
	switch {
	case other && !l.outvoted:
		l.logger.Warn("another configuration is in force for the whole fleet, from a process that started later: start this process anew if its configuration is the right one, else give it the other",
			"own", l.config, "in_force", inForce)
	case !other && l.outvoted:
		l.logger.Info("this process's configuration is in force for the whole fleet")
	}
	l.outvoted = other
}
