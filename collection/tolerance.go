package collection

import (
	"errors"
	"fmt"
	"math"
)

// Tolerance is how many rows of a submission may be lost for it to count as good enough all the same. A submission with any
// loss is partially failed whatever its tolerance; each of its rows has an outcome and a reason.
type Tolerance struct {
	// Records is a number of rows, Share a share of all rows, from 0 to 1; the larger of both holds.
	Records int     `json:"records,omitempty"`
	Share   float64 `json:"share,omitempty"`
}

// Check says what is wrong with the tolerance.
func (t Tolerance) Check() error {
	if t.Records < 0 {
		return fmt.Errorf("tolerate %d rows: use 0 or more", t.Records)
	}
	if !(t.Share >= 0 && t.Share <= 1) {
		return errors.New("tolerate a share of 0 to 1 of the rows, for instance 0.01")
	}
	return nil
}

// Most is how many of so many rows may be lost.
func (t Tolerance) Most(expected int) int {
	// A share that is meant as a whole number of rows must not miss it by the last bit of a float.
	const epsilon = 1e-9
	return max(t.Records, int(math.Floor(t.Share*float64(expected)+epsilon)))
}

// ToleranceVerdict is a submission held against its tolerance.
type ToleranceVerdict struct {
	Tolerance
	// Lost is how many rows were neither delivered, nor absent at their target, nor repetitions.
	Lost int `json:"lost"`
	// Within says that no more were lost than may be.
	Within bool `json:"within"`
}

// Judge holds a settled submission against the tolerance.
func (t Tolerance) Judge(lost, expected int) ToleranceVerdict {
	return ToleranceVerdict{Tolerance: t, Lost: lost, Within: lost <= t.Most(expected)}
}
