package activities

import (
	"bytes"
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"

	"github.com/weir-collect/weir/collection"
)

// TestLogEnd: what waits for somebody's mending is a warning from the first attempt on, and what comes and goes by itself is none.
func TestLogEnd(t *testing.T) {
	for reason, level := range map[collection.Reason]string{
		collection.ReasonStoreUnavailable: "WARN", collection.ReasonEgressAuth: "WARN",
		collection.ReasonTimeout: "INFO", collection.ReasonThrottled: "INFO", collection.ReasonLeaseLost: "INFO", collection.ReasonEgressUnavailable: "INFO",
	} {
		var out bytes.Buffer
		suite := testsuite.WorkflowTestSuite{}
		suite.SetLogger(log.NewStructuredLogger(slog.New(slog.NewTextHandler(&out, nil))))
		env := suite.NewTestActivityEnvironment()
		fails := func(ctx context.Context) error {
			err := transient(reason, 0, collection.AttemptFailure{Detail: "why"}, nil)
			logEnd(ctx, err)
			return err
		}
		env.RegisterActivity(fails)
		_, err := env.ExecuteActivity(fails)
		require.Error(t, err)
		require.Regexp(t, "level="+level+` msg="the attempt is tried again".*reason=`+string(reason), out.String())
	}
}
