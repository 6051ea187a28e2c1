// Package telemetry is how weir reports on itself: metrics for Prometheus through OpenTelemetry, a health page, and
// structured logs whose lines name the submission, the record and the attempt that they are about.
//
// Instruments have typed methods, so that a label can only hold what is meant for it, and the number of series stays
// bounded whatever strangers submit. Record ids, URLs and workflow ids are never labels: they belong in logs.
//
// The package knows the vocabulary of collection and Temporal's interfaces for metrics, logs and interceptors. It must not
// know the configuration, nor what workflows and activities do.
package telemetry
