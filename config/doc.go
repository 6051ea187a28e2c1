// Package config is what an operator says about a fleet: where Temporal and S3 are, which sources exist and how hard
// each may be asked, who the customers are, and how a worker spends its machine.
//
// Load puts the layers together (defaults, then weir.yaml, then WEIR_ variables, then flags) and reports every problem at once,
// each with the key's path, its value, where it stands and what to do, before anything is dialled. Secrets are references
// (env:NAME or file:PATH); a value never enters a Config, and so never a log line.
//
// The package must not know Temporal, S3 or HTTP clients: it says what was asked for, and wiring makes it so. It reads no
// process environment; what it needs of the world it is given in Options. What the owner of the ceilings must know of it is
// Leases.
package config
