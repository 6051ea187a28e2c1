package main

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/server/common"
)

func TestReadyLineFields(t *testing.T) {
	var out bytes.Buffer
	o := options{namespace: "default", bucket: "weir", dataDir: "/data"}
	require.NoError(t, printReady(&out, o, ports{frontend: 7233, web: 8233, s3: 9000}))
	require.Regexp(t, `^{"ready":true,"temporal":"127.0.0.1:7233","web":"http://127.0.0.1:8233","s3":"http://127.0.0.1:9000",`+
		`"namespace":"default","bucket":"weir","region":"us-east-1","data":"/data","pid":\d+}`+"\n$", out.String())
	out.Reset()
	o.noWeb = true
	require.NoError(t, printReady(&out, o, ports{}))
	require.Contains(t, out.String(), `"web":""`)
}

func TestEveryShardIsProbed(t *testing.T) {
	ids := workflowIDPerShard("5c8b4b3c-6d1e-4a53-9a3c-0e5f0f6a9d10")
	require.Len(t, ids, historyShards)
	for shard, id := range ids {
		require.Equal(t, shard, common.WorkflowIDToHistoryShard("5c8b4b3c-6d1e-4a53-9a3c-0e5f0f6a9d10", id, historyShards))
	}
}

func TestRetry(t *testing.T) {
	tries := 0
	require.NoError(t, retry(t.Context(), func(context.Context) error {
		if tries++; tries < 3 {
			return errors.New("not yet")
		}
		return nil
	}))
	require.Equal(t, 3, tries)

	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	require.ErrorContains(t, retry(ctx, func(context.Context) error { return errors.New("still down") }), "still down")
}
