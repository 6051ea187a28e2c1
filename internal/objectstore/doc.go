// Package objectstore keeps weir's objects in one bucket of an S3 store.
//
// Everything may be written twice, at the same time, from two machines. So writes are conditional and carry a SHA-256
// that the store checks; a refused write is settled by looking at what is there. The contract of every method stands at
// the interface in package storetest, whose suite holds this package and memstore to it.
//
// The package knows neither the workflow engine nor weir's configuration, and it decides nothing about outcomes: it says
// whether an object is missing, exists with another content, or is out of reach, and leaves the rest to its callers.
// Only the SDK's few short retries happen here; the lasting ones are the engine's.
package objectstore
