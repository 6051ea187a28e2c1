// Package fetch turns a record into an HTTP request, sends it, and captures the answer.
//
// It is where weir meets strangers, so everything is bounded: the time of the whole exchange, the bytes of the URL, of the
// header and of the body after decompression, the number of redirects. It sends credentials only to the origin that they
// are for, opens no connection into a private network unless the source allows it, and follows no redirect off the source.
//
// It goes out directly or through a proxy, as it is told for every request, and never by another way than that. Through a
// proxy everything is tunnelled, so that what the proxy answers and what the target answers cannot be taken for one another;
// see docs/egress.md.
//
// What went wrong is told as a failure.Observation; what it means is internal/failure's business. The package knows no
// Temporal SDK, no configuration file, no permits and no retries.
package fetch
