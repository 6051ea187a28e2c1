package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/starter"
)

// ErrDiffers says that something is not as it must be.
var ErrDiffers = errors.New("not everything is as it must be")

// patience bounds the whole collecting: on a very busy machine it takes a minute.
const patience = 10 * time.Minute

// Options say how to run the demo.
type Options struct {
	// Dir is a folder that stays; empty means one that is removed at the end, if all went well.
	Dir string
	// Binary is a built stack; empty builds one.
	Binary string
	// Exit ends the demo when everything is checked, instead of when ctx ends.
	Exit bool
	// Screen is where the demo tells what it does, and Progress where a build tells how long it takes.
	Screen   *screen.Screen
	Progress io.Writer
	Now      func() time.Time
}

// Run runs the demo. It returns ErrDiffers when the checks found something, and nil when they did not and ctx ended later.
// Everything that it started has stopped when it returns.
func Run(ctx context.Context, o Options) (err error) {
	f, err := openFolder(o.Dir)
	if err != nil {
		return err
	}
	s := &show{Options: o, folder: f}
	defer func() {
		err = errors.Join(err, s.parts.stop())
		s.leave(err == nil || ctx.Err() != nil && !errors.Is(err, ErrDiffers))
	}()
	return s.run(ctx)
}

// show is one run of the demo.
type show struct {
	Options
	folder folder
	parts  parts
	// id of the submission, once there is one.
	id string
}

// say tells one fact on one line.
func (s *show) say(what, format string, args ...any) {
	s.Screen.Line("%s %s", s.Screen.Paint(screen.Faint, fmt.Sprintf("%-13s", what)), fmt.Sprintf(format, args...))
}

func (s *show) run(outer context.Context) error {
	s.say("folder", "%s", s.folder.path)
	s.say("starting", "Temporal, Temporal Web and S3")
	ctx, err := s.parts.start(outer, s)
	if err == nil {
		err = s.perform(ctx)
	}
	if cause := context.Cause(ctx); err != nil && cause != nil {
		// Whoever has ended the context, or the part that has died, explains more than what failed because of it.
		return cause
	}
	if err != nil || s.Exit {
		return err
	}
	s.invite()
	<-ctx.Done()
	s.say("stopping", "everything that was started")
	if outer.Err() == nil {
		return fmt.Errorf("the demo cannot go on: %w", context.Cause(ctx))
	}
	return nil
}

// invite says what there is to look at while everything runs.
func (s *show) invite() {
	s.Screen.Blank()
	s.Screen.Line("Everything still runs. To look around, open Temporal Web, or in another terminal:")
	s.Screen.Blank()
	file := s.folder.file(config.FileName)
	s.Screen.Line("  weir --config %s status %s", file, s.id)
	s.Screen.Line("  weir --config %s records %s --outcome dead_lettered", file, s.id)
	s.Screen.Blank()
	s.Screen.Line("Ctrl-C stops it.")
}

// perform submits, waits and checks.
func (s *show) perform(ctx context.Context) error {
	rows := scenario(s.parts.site.URL)
	request, err := s.submission(rows)
	if err != nil {
		return err
	}
	defer request.close()
	submitted, err := s.parts.client.Submit(ctx, request.Request)
	if err != nil {
		return err
	}
	s.id = submitted.ID
	s.say("submission", "%s: %s for customer %s, in %s", submitted.ID, screen.Plural(len(rows), "row"), customerName, request.file.Name())
	s.say("watch it", "%s/namespaces/%s/workflows/%s/%s/history", s.parts.stack.Web, s.parts.stack.Namespace, submitted.ID, submitted.RunID)
	status, err := s.wait(ctx, submitted.ID)
	if err != nil {
		return err
	}
	c := &checks{show: s, rows: rows, status: status}
	if err := c.all(ctx); err != nil {
		return err
	}
	again, err := s.parts.client.Submit(ctx, request.Request)
	if err != nil {
		return err
	}
	c.submittedAgain(submitted, again)
	return c.conclude()
}

// submissionFile is a request and the file behind it.
type submissionFile struct {
	starter.Request
	file *os.File
}

func (f submissionFile) close() { _ = f.file.Close() } // it was only read

// submission writes the file and makes the request of it.
func (s *show) submission(rows []row) (submissionFile, error) {
	content, err := writeCSV(rows)
	if err != nil {
		return submissionFile{}, fmt.Errorf("write the submission: %w", err)
	}
	const base = "submission.csv"
	name := s.folder.file(base)
	if err := os.WriteFile(name, content, 0o600); err != nil {
		return submissionFile{}, fmt.Errorf("write the submission: %w", err)
	}
	file, err := os.Open(name)
	if err != nil {
		return submissionFile{}, fmt.Errorf("read the submission: %w", err)
	}
	return submissionFile{starter.Request{Customer: customerName, File: file, FileName: base}, file}, nil
}

// wait shows the progress of the submission until it has ended.
func (s *show) wait(ctx context.Context, id string) (collection.SubmissionStatus, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience,
		fmt.Errorf("the submission has not ended within %s: %s may say why", screen.Duration(patience), s.folder.file(logName)))
	defer cancel()
	s.Screen.Blank()
	progress := s.Screen.NewProgress()
	defer func() {
		progress.End()
		if !s.Screen.IsTerminal() {
			s.Screen.Blank()
		}
	}()
	status, err := s.parts.client.Wait(ctx, id, func(st collection.SubmissionStatus) { progress.Show(st, s.Now()) })
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return status, cause
	}
	return status, err
}

// leave removes the folder, unless somebody will want to look into it.
func (s *show) leave(nothingToSee bool) {
	if s.folder.temporary && nothingToSee {
		_ = os.RemoveAll(s.folder.path) // what cannot be removed from a temporary folder does no harm
		return
	}
	s.say("kept", "%s", s.folder.path)
}
