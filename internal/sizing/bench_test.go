package sizing

import (
	"fmt"
	"testing"
)

// BenchmarkFleet is one job through fleets of several sizes, under a load that keeps two thirds of them busy.
func BenchmarkFleet(b *testing.B) {
	for _, workers := range []int{8, 31, 1000, MaxWorkers} {
		b.Run(fmt.Sprint(workers), func(b *testing.B) {
			p := Default()
			p.JobsPerHour = float64(workers) * 4
			p.Months, p.HoursPerMonth = 1, 1e5/p.JobsPerHour
			jobs := drain(NewStream(p, 0), chunk)
			fleet, i, late := NewFleet(workers), 0, int64(0)
			for b.Loop() {
				job := jobs[i]
				job.Arrival += late
				fleet.Start(job)
				if i++; i == len(jobs) { // the same jobs once more, later
					i, late = 0, late+p.end()
				}
			}
		})
	}
}

// BenchmarkStream is one job drawn.
func BenchmarkStream(b *testing.B) {
	stream, jobs := NewStream(Default(), 0), make([]Job, 1)
	replication := 0
	for b.Loop() {
		if stream.Fill(jobs) == 0 {
			replication++
			stream = NewStream(Default(), replication)
		}
	}
}
