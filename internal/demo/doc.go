// Package demo is `weir demo`: it starts a stack, a source site and a worker, submits a file whose right outcome is known,
// shows what happens, and checks that everything came out right.
//
// It uses weir from the outside, as a customer would: what it knows of the work comes from starter, from the delivery and
// from the site's own counts. The package must not know command lines.
package demo
