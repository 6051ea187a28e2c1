package starter_test

import (
	"github.com/stretchr/testify/mock"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/starter"
)

// connected is the client of the examples. Its engine starts what it is given and has forgotten everything else; its bucket
// holds acme-1, settled.
func connected() *starter.Client {
	tr := newTrial().settled(collection.StatePartiallyFailed)
	tr.engine.On("WorkflowService").Return(&service{})
	tr.engine.On("DescribeWorkflowExecution", mock.Anything, mock.Anything, "").Return(nil, errUnknown)
	tr.starts(nil)
	return tr.client
}
