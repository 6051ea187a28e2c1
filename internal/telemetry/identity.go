package telemetry

import (
	"strings"

	"github.com/weir-collect/weir/collection"
)

// identity gives the log attributes that a workflow id tells: pairs of name and value. An id that is none of weir's work,
// such as that of a fleet workflow, tells nothing.
func identity(workflowID string) []any {
	parts := strings.Split(workflowID, "/")
	if parts[0] == "" {
		return nil
	}
	switch {
	case len(parts) == 1:
		return []any{"submission", parts[0]}
	case len(parts) == 2 && collection.IsRecordID(parts[1]):
		return []any{"submission", parts[0], "record", parts[1]}
	case len(parts) == 3:
		return []any{"submission", parts[0], "source", parts[1], "batch", parts[2]}
	}
	return nil
}
