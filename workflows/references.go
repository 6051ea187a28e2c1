package workflows

import (
	"github.com/weir-collect/weir/activities"
)

// Activities are named through nil method references, so that the compiler checks that they exist. The durable name is
// the method's name.
var (
	planner   *activities.Planner
	batches   *activities.Batches
	finder    *activities.Finder
	settler   *activities.Settler
	shipper   *activities.Shipper
	collector *activities.Collector
	parser    *activities.Parser
	deliverer *activities.Deliverer
	sweeper   *activities.Sweeper
	keeper    *activities.Janitor
	replayer  *activities.Replayer
)
