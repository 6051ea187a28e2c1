// Package starter is weir for engineers: submit records, ask where they are, list how they ended, get the delivery's
// links, cancel; list dead letters, replay them, deliver again; command sources as an operator does; sweep; and read the
// history of submissions for what was promised of them.
//
//	client, err := starter.Dial(ctx, cfg, starter.SystemSecrets(), slog.Default())
//	submitted, err := client.Submit(ctx, starter.Request{Customer: "acme", File: file, FileName: "books.csv"})
//	result, err := client.Wait(ctx, submitted.ID, nil)
//
// Everything that it does can also be done with a plain Temporal client and an S3 client: it starts the workflow Submission
// with a collection.SubmissionInput on the queue "weir". Answers come from the cheapest ground that has them: the engine
// while it remembers, the plan, ledger and manifest in S3 for as long as these are kept. They agree.
//
// The package must not know workflow or activity code.
package starter
