package sizing

import (
	"fmt"
	"math"
)

// Interval is a figure and how well it is known.
type Interval struct {
	// Value is the figure, from all replications together.
	Value float64 `json:"value"`
	// HalfWidth is half of the 95 % confidence interval around Value, from the spread of the replications; 0 where one
	// replication alone says nothing about it.
	HalfWidth float64 `json:"half_width"`
}

// around is the interval of a pooled value, given the values of the single replications.
func around(value float64, single []float64) Interval {
	n := float64(len(single))
	if n < 2 {
		return Interval{Value: value}
	}
	mean := meanOf(single)
	squares := 0.0
	for _, x := range single {
		squares += (x - mean) * (x - mean)
	}
	return Interval{Value: value, HalfWidth: student(len(single)-1) * math.Sqrt(squares/(n-1)/n)}
}

// Lower is the lower end of the interval.
func (i Interval) Lower() float64 { return i.Value - i.HalfWidth }

// Text writes the interval scaled and with so many digits after the point.
func (i Interval) Text(scale float64, digits int) string {
	return fmt.Sprintf("%.*f ± %.*f", digits, i.Value*scale, digits, i.HalfWidth*scale)
}

// students are the two-sided 95 % points of Student's distribution for 1, 2, 3, ... degrees of freedom.
var students = [...]float64{
	12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
	2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
}

// student is the 95 % point for the given degrees of freedom; beyond the table the first three terms of its expansion around
// the normal point are exact to three digits after the point.
func student(freedom int) float64 {
	if freedom <= len(students) {
		return students[freedom-1]
	}
	const (
		normal = 1.959964
		square = normal * normal
		first  = normal * (square + 1) / 4
		second = normal * ((5*square+16)*square + 3) / 96
		third  = normal * (((3*square+19)*square+17)*square - 15) / 384
	)
	n := float64(freedom)
	return normal + (first+(second+third/n)/n)/n
}
