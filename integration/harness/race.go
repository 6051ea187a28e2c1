//go:build race

package harness

// sdkPatience keeps a worker's SDK from giving up on a step of a workflow after a second. Under the race detector, a second is
// soon over; the SDK (1.50) then lets go of a step that may still run, which is a race that the detector reports.
var sdkPatience = []string{"TEMPORAL_DEBUG=1"}
