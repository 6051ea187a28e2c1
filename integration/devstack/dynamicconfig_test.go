package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/log"
)

// The settings are read back the way the server reads them, so that a misspelt key or a value of the wrong type shows.
func TestServerReadsTheSettings(t *testing.T) {
	c := dynamicconfig.NewCollection(serverSettings(24*time.Hour), log.NewNoopLogger())
	require.Equal(t, 1, dynamicconfig.MatchingNumTaskqueueReadPartitions.Get(c)("default", "collect.shop", 2))
	require.Equal(t, 1, dynamicconfig.MatchingNumTaskqueueWritePartitions.Get(c)("default", "collect.shop", 2))
	require.False(t, dynamicconfig.EnableActivityEagerExecution.Get(c)("default"))
	fairness := dynamicconfig.MatchingEnableFairness.Get(c)("default", "collect.shop", 2)
	require.True(t, fairness.Value([]byte("any"), time.Now()))
	require.Equal(t, 20_000, dynamicconfig.MatchingRPS.Get(c)())
	require.Equal(t, 6_000, dynamicconfig.FrontendMaxConcurrentLongRunningRequestsPerInstance.Get(c)("default"))
	require.Equal(t, shortestRetention, dynamicconfig.NamespaceMinRetentionLocal.Get(c)())
}

func TestDeletionDelayFollowsRetention(t *testing.T) {
	cases := map[time.Duration]time.Duration{
		48 * time.Second:    time.Second,
		24 * time.Hour:      30 * time.Minute,
		30 * 24 * time.Hour: 30 * time.Minute,
	}
	for retention, want := range cases {
		c := dynamicconfig.NewCollection(serverSettings(retention), log.NewNoopLogger())
		require.Equal(t, want, dynamicconfig.RetentionTimerJitterDuration.Get(c)(), "retention %s", retention)
	}
}
