package main

import (
	"fmt"
	"time"

	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/temporal"
)

const (
	// clusterName and historyShards are written into a new database and hold for its life; changing them here has no effect on
	// existing folders. SQLite has one writer, so more shards would only cost memory.
	clusterName   = "active"
	historyShards = 4

	workflowStore   = "workflows"
	visibilityStore = "visibility"
)

// newTemporal wires the four services of a Temporal server, unstarted.
func newTemporal(o options, p ports, dbs databases, logger *serverLog) (temporal.Server, error) {
	server, err := temporal.NewServer(
		temporal.WithConfig(temporalConfig(p, dbs)),
		temporal.ForServices(temporal.DefaultServices),
		temporal.WithStaticHosts(staticHosts(p)),
		temporal.WithDynamicConfigClient(serverSettings(o.retention)),
		temporal.WithLogger(logger),
		temporal.WithAuthorizer(authorization.NewNoopAuthorizer()),
		temporal.WithClaimMapper(func(*config.Config) authorization.ClaimMapper { return authorization.NewNoopClaimMapper() }),
	)
	if err != nil {
		return nil, fmt.Errorf("Temporal cannot start: %s", oneLine(err)) //nolint:staticcheck // a name
	}
	return server, nil
}

// staticHosts tells the services where the others are. There is one host, so nothing has to be discovered, and a restart
// does not have to wait until the traces of a killed process expire.
func staticHosts(p ports) map[primitives.ServiceName]static.Hosts {
	return map[primitives.ServiceName]static.Hosts{
		primitives.FrontendService: static.SingleLocalHost(address(p.frontend)),
		primitives.HistoryService:  static.SingleLocalHost(address(p.history)),
		primitives.MatchingService: static.SingleLocalHost(address(p.matching)),
		primitives.WorkerService:   static.SingleLocalHost(address(p.worker)),
	}
}

func temporalConfig(p ports, dbs databases) *config.Config {
	cfg := &config.Config{}
	cfg.Global.Membership = config.Membership{MaxJoinDuration: 30 * time.Second, BroadcastAddress: loopback}
	cfg.Persistence = config.Persistence{
		DefaultStore:     workflowStore,
		VisibilityStore:  visibilityStore,
		NumHistoryShards: historyShards,
		DataStores: map[string]config.DataStore{
			workflowStore:   {SQL: dbs.workflows},
			visibilityStore: {SQL: dbs.visibility},
		},
	}
	cfg.ClusterMetadata = &cluster.Config{
		FailoverVersionIncrement: 10,
		MasterClusterName:        clusterName,
		CurrentClusterName:       clusterName,
		ClusterInformation: map[string]cluster.ClusterInformation{
			clusterName: {Enabled: true, InitialFailoverVersion: 1, RPCAddress: address(p.frontend)},
		},
	}
	cfg.DCRedirectionPolicy = config.DCRedirectionPolicy{Policy: "noop"}
	cfg.Services = map[string]config.Service{
		string(primitives.FrontendService): service(p.frontend),
		string(primitives.HistoryService):  service(p.history),
		string(primitives.MatchingService): service(p.matching),
		string(primitives.WorkerService):   service(p.worker),
	}
	cfg.Archival = config.Archival{
		History:    config.HistoryArchival{State: config.ArchivalDisabled},
		Visibility: config.VisibilityArchival{State: config.ArchivalDisabled},
	}
	cfg.NamespaceDefaults = config.NamespaceDefaults{Archival: config.ArchivalNamespaceDefaults{
		History:    config.HistoryArchivalNamespaceDefaults{State: config.ArchivalDisabled},
		Visibility: config.VisibilityArchivalNamespaceDefaults{State: config.ArchivalDisabled},
	}}
	cfg.PublicClient = config.PublicClient{HostPort: address(p.frontend)}
	return cfg
}

func service(port int) config.Service {
	return config.Service{RPC: config.RPC{GRPCPort: port, BindOnIP: loopback}}
}
