// Package sizing answers how many workers a promise takes: "95 % of jobs start within 5 minutes".
//
// Two answers stand side by side. Erlang's formula assumes that jobs arrive one by one. Customers do not behave so:
// they hand in many jobs at once, and a job deep in its own batch waits for the jobs in front of it however idle the fleet
// was before. The simulation therefore draws whole batches and plays them through a first-come-first-served
// fleet, for several fleet sizes, on the same arrivals and the same service times.
//
// A job is what the promise is about and what occupies one worker; a batch is the jobs that arrive in one instant, usually
// one submission. Times are float64 minutes at the edges of the package and whole microseconds inside, so that sums over
// runs are exact and the same in every order.
//
// Everything here is pure and seeded: the same parameters give the same numbers on every machine and in every release,
// which is why the package has its own generator. It must not know the clock, files, the command line, the engine, or
// how many cores there are; package sweep runs it in parallel, package report words its findings, package chart draws them.
package sizing
