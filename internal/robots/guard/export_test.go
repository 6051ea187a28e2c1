package guard

// Weight is what an origin without a file takes.
func Weight(origin string) int64 { return (&kept{place: place{origin: origin}}).weight() }

// Held is how much the cache says that it holds.
func (c *Cache) Held() int64 { return c.bytes }

// Room is how much the cache may hold.
func (c *Cache) Room() int64 { return c.most }

// Counted is what the places of the cache come to.
func (c *Cache) Counted() (bytes int64) {
	for _, element := range c.places {
		bytes += element.Value.(*kept).weight()
	}
	return bytes
}
