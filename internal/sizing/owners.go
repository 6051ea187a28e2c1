package sizing

// owner is whose batch this is and where its jobs go. Batches arrive in order, but the jobs of paced ones overlap: the
// owner of a batch is therefore a function of its number, not of the order in which it is asked for.
func (y *yard) owner(batch int32) (customer, source int) {
	if batch == y.batch {
		return y.customer, y.source
	}
	draw := Random{state: y.owners.state + uint64(batch)<<1*golden}
	y.batch = batch
	y.customer, y.source = 0, 0
	turn := draw.Float()
	for i, c := range y.params.Customers {
		if y.customer = i; turn < c.Share {
			break
		}
		turn -= c.Share
	}
	turn = draw.Float()
	for i, s := range y.params.Sources {
		if y.source = i; turn < s.Share {
			break
		}
		turn -= s.Share
	}
	return y.customer, y.source
}

// completion is the end of a job at work.
type completion struct {
	at     int64
	source int
}

// completions are a heap, the first to end first.
type completions []completion

func (c completions) Len() int           { return len(c) }
func (c completions) Less(i, j int) bool { return c[i].at < c[j].at }
func (c completions) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }
func (c *completions) Push(x any)        { *c = append(*c, x.(completion)) }
func (c *completions) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}
