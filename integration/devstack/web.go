package main

import (
	webserver "github.com/temporalio/ui-server/v2/server"
	webconfig "github.com/temporalio/ui-server/v2/server/config"
	weboptions "github.com/temporalio/ui-server/v2/server/server_options"
)

// startWeb serves Temporal Web. It calls nobody but the frontend beside it: no news, no version check.
func startWeb(o options, p ports) *webserver.Server {
	web := webserver.NewServer(weboptions.WithConfigProvider(&webconfig.Config{
		TemporalGRPCAddress: address(p.frontend),
		Host:                loopback,
		Port:                p.web,
		EnableUI:            true,
		DefaultNamespace:    o.namespace,
		DisableNewsFetch:    true,
		HideLogs:            o.logLevel != "debug",
		// The page is served without TLS; without this, browsers drop the token that its buttons need.
		CORS: webconfig.CORS{CookieInsecure: true},
	}))
	go func() { _ = web.Start() }() // returns nil once stopped; a port it cannot bind ends the process
	return web
}
