package sizing

import (
	"math"
	"math/bits"
)

// Fleet is a number of workers that take jobs in the order of arrival. It needs no event list: a job starts when it is
// there and the worker that is free first is free.
//
// The moments at which workers are free are the leaves of a tournament: every inner node holds the earlier of the two
// below, so the root is the worker that is free first, and a job costs one walk from a leaf to the root, the same number
// of steps whatever the values. That is several times faster than a heap, whose comparisons a processor cannot foresee.
// A leaf holds its own number in the low bits, which finds it again and breaks ties.
type Fleet struct {
	tree   []int64
	leaves int
	shift  int
}

// NewFleet is a fleet of 1 to MaxWorkers idle workers.
func NewFleet(workers int) *Fleet {
	shift := bits.Len(uint(workers - 1))
	f := &Fleet{leaves: 1 << shift, shift: shift, tree: make([]int64, 2<<shift)}
	for i := range f.leaves {
		f.tree[f.leaves+i] = int64(i)
		if i >= workers {
			f.tree[f.leaves+i] = math.MaxInt64
		}
	}
	for node := f.leaves - 1; node > 0; node-- {
		f.tree[node] = min(f.tree[2*node], f.tree[2*node+1])
	}
	return f
}

// Start gives the job to the worker that is free first, and returns when it starts. Jobs must come in order of arrival.
func (f *Fleet) Start(job Job) int64 {
	tree := f.tree
	first := tree[1]
	start := max(first>>f.shift, job.Arrival)
	worker := int(first) & (f.leaves - 1)
	free := min(start+job.Service, never)<<f.shift | int64(worker)
	node := f.leaves + worker
	tree[node] = free
	for node > 1 {
		free = min(free, tree[node^1])
		node >>= 1
		tree[node] = free
	}
	return start
}
