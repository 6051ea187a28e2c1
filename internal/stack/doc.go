// Package stack builds and runs weir's embedded stack: Temporal, Temporal Web and an S3 gateway in one child process, over
// one folder. It serves `weir dev`, `weir demo`, tests and drills; a production deployment never needs it.
//
// The stack is a nested module of its own, integration/devstack, so that nobody who imports weir inherits a database
// server. Build compiles it once and keeps the binary in the user's cache folder; Start runs it and waits until it
// answers. The child exits when its parent does, however the parent ends: it watches the pipe that is its stdin.
//
// The package knows the child's command line and its ready line, and nothing of what the child does: no Temporal SDK,
// no S3 client, no configuration of weir.
package stack
