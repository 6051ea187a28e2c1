package sizing

// Because names the part of the findings that asks for the fleet of the answer. It is a word in the answer for programs.
type Because string

// The parts, by the names that they have in a report.
const (
	BecauseSimulated Because = "simulated"
	BecauseShared    Because = "shared"
	BecauseReplay    Because = "replay"
)

// Answer is the fleet that keeps the promise in everything that was studied: the recommended one, or more where ceilings and
// customers take more, or the recorded arrivals themselves. 0 where one of them has no fleet that keeps it.
func (f Findings) Answer() (workers int, because Because) {
	workers, because = f.Recommended, BecauseSimulated
	take := func(n int, by Because) {
		if workers > 0 && (n == 0 || n > workers) {
			workers, because = n, by
		}
	}
	if f.Shared != nil {
		take(f.Shared.Smallest.Workers, BecauseShared)
	}
	if f.Replay != nil {
		take(f.Replay.Smallest.Workers, BecauseReplay)
	}
	return workers, because
}
