// Package drive probes a source: it raises the number of requests in flight step by step, each request with a permit of
// the fleet, and stops as soon as the source suffers.
//
// It must not know how a request is made, who gives permits, or what the figures mean: probe does.
package drive
