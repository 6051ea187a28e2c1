package collection

import "fmt"

// Lane is the priority in which a submission's work is done. Priority is strict over a whole queue and stands above
// fairness, so a lane is something that a customer's configuration allows, not something that a submission takes.
type Lane string

// The lanes. The empty lane means normal.
const (
	LaneUrgent Lane = "urgent"
	LaneNormal Lane = "normal"
	LaneBulk   Lane = "bulk"
)

// Lanes lists the lanes from the first served to the last.
func Lanes() []Lane { return []Lane{LaneUrgent, LaneNormal, LaneBulk} }

// PriorityKey is Temporal's priority of the lane, where 1 is served first and 3 is Temporal's default.
func (l Lane) PriorityKey() int {
	switch l {
	case LaneUrgent:
		return 1
	case LaneBulk:
		return 5
	default:
		return 3
	}
}

// Check says whether the lane exists; the empty lane does.
func (l Lane) Check() error {
	switch l {
	case "", LaneUrgent, LaneNormal, LaneBulk:
		return nil
	}
	return fmt.Errorf("lane %q: use urgent, normal or bulk", string(l))
}
