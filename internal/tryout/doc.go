// Package tryout takes one record through robots.txt, request and parse rules on this machine, and tells what each step
// found: for people who write parse rules.
//
// It must not know Temporal, S3 or the fleet's ceilings, and stores nothing.
package tryout
