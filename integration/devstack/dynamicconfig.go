package main

import (
	"time"

	"go.temporal.io/server/common/dynamicconfig"
)

// serverSettings is the dynamic configuration of the embedded server: what weir's design needs, and limits that suit one
// small node which serves one team. Limits that shape how workflows must be written (events, pending children, updates in
// flight, payload sizes) stay as they are in a stock server, so that what works here works in production.
func serverSettings(retention time.Duration) dynamicconfig.StaticClient {
	settings := dynamicconfig.StaticClient{}
	for _, group := range []map[dynamicconfig.Key]any{
		queueSettings(), rateSettings(), memorySettings(), operationSettings(), retentionSettings(retention),
	} {
		for key, value := range group {
			settings[key] = value
		}
	}
	return settings
}

// queueSettings make order, fairness and ceilings exact: each task queue is a single partition, fairness between
// customers is on, and no activity is handed to a worker behind the queue's back.
func queueSettings() map[dynamicconfig.Key]any {
	return map[dynamicconfig.Key]any{
		dynamicconfig.MatchingEnableFairness.Key():              true,
		dynamicconfig.MatchingNumTaskqueueReadPartitions.Key():  1,
		dynamicconfig.MatchingNumTaskqueueWritePartitions.Key(): 1,
		dynamicconfig.EnableActivityEagerExecution.Key():        false,
		// With one partition this is the most tasks per second of a whole queue.
		dynamicconfig.AdminMatchingNamespaceTaskqueueToPartitionDispatchRate.Key(): 10_000,
	}
}

// rateSettings lift the request and database rates that a burst of tens of thousands of records runs into on one node.
func rateSettings() map[dynamicconfig.Key]any {
	return map[dynamicconfig.Key]any{
		dynamicconfig.FrontendRPS.Key():                                         20_000,
		dynamicconfig.FrontendMaxNamespaceRPSPerInstance.Key():                  20_000,
		dynamicconfig.MatchingRPS.Key():                                         20_000,
		dynamicconfig.HistoryRPS.Key():                                          30_000,
		dynamicconfig.FrontendPersistenceMaxQPS.Key():                           10_000,
		dynamicconfig.MatchingPersistenceMaxQPS.Key():                           10_000,
		dynamicconfig.HistoryPersistenceMaxQPS.Key():                            45_000,
		dynamicconfig.WorkerPersistenceMaxQPS.Key():                             2_000,
		dynamicconfig.FrontendMaxNamespaceVisibilityRPSPerInstance.Key():        200,
		dynamicconfig.FrontendMaxConcurrentLongRunningRequestsPerInstance.Key(): 6_000,
	}
}

// memorySettings keep a laptop's memory: the defaults size the caches for a dedicated host.
func memorySettings() map[dynamicconfig.Key]any {
	return map[dynamicconfig.Key]any{
		dynamicconfig.HistoryCacheHostLevelMaxSize.Key():     8_192,
		dynamicconfig.EventsHostLevelCacheMaxSizeBytes.Key(): 64 << 20,
	}
}

// operationSettings let an operator replay or cancel many records with one batch command, and keep the server to itself.
func operationSettings() map[dynamicconfig.Key]any {
	return map[dynamicconfig.Key]any{
		dynamicconfig.BatcherRPS.Key():                                          500,
		dynamicconfig.BatcherConcurrency.Key():                                  20,
		dynamicconfig.FrontendMaxConcurrentBatchOperationPerNamespace.Key():     5,
		dynamicconfig.FrontendMaxExecutionCountBatchOperationPerNamespace.Key(): 10_000,
		// The devstack tells nobody that it exists.
		dynamicconfig.EnableServerVersionCheck.Key(): false,
	}
}

// retentionSettings allow retentions under the stock minimum of an hour, and scale down the random delay of up to 30 minutes
// that the server adds before it deletes, which would hide a short one.
func retentionSettings(retention time.Duration) map[dynamicconfig.Key]any {
	return map[dynamicconfig.Key]any{
		dynamicconfig.NamespaceMinRetentionLocal.Key():   shortestRetention,
		dynamicconfig.RetentionTimerJitterDuration.Key(): min(30*time.Minute, retention/48),
	}
}
