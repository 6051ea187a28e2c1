package sizing

import "container/heap"

// pacedBatches are the batches whose jobs are still being handed in, the next job first.
type pacedBatches []pending

func (p pacedBatches) Len() int { return len(p) }
func (p pacedBatches) Less(i, j int) bool {
	return p[i].at < p[j].at || p[i].at == p[j].at && p[i].batch < p[j].batch
}
func (p pacedBatches) Swap(i, j int) { p[i], p[j] = p[j], p[i] }
func (p *pacedBatches) Push(x any)   { *p = append(*p, x.(pending)) }
func (p *pacedBatches) Pop() any {
	last := (*p)[len(*p)-1]
	*p = (*p)[:len(*p)-1]
	return last
}

// fillPaced is Fill where the jobs of a batch arrive one after another, so that batches overlap.
func (s *Stream) fillPaced(jobs []Job) int {
	for i := range jobs {
		for len(s.paced) == 0 || int64(s.next) <= s.paced[0].at {
			if !s.open() {
				break
			}
			heap.Push(&s.paced, s.current)
		}
		if len(s.paced) == 0 || s.paced[0].at >= s.end {
			return i
		}
		batch := &s.paced[0]
		jobs[i] = Job{Arrival: batch.at, Service: s.service(), Batch: batch.batch}
		batch.at += s.pace
		if batch.left--; batch.left == 0 {
			heap.Pop(&s.paced)
		} else {
			heap.Fix(&s.paced, 0)
		}
	}
	return len(jobs)
}
