package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/starter"
)

const linksLong = `Sign the files of a delivery, so that a customer can fetch them without
credentials.

The links are secrets: whoever has one has the file, until it expires. The
manifest lists every other file with its size and SHA-256; manifest.sha256 is
for sha256sum -c.

With --output json: [{"name", "url", "size", "records", "sha256", "expires",
"capped"}]. Capped is true where a link expires earlier than asked, because the
credentials that sign it do.`

const linksExample = `  weir links acme-3f2a9c1b7e10
  weir links acme-3f2a9c1b7e10 --expires 168h
  weir links acme-3f2a9c1b7e10 --output json | jq -r '.[].url' | head -1`

func (a *app) linksCommand() *cobra.Command {
	var expires time.Duration
	cmd := &cobra.Command{
		Use: "links ID", Short: "Sign links to a delivery's files", Long: linksLong, Example: linksExample,
		Args: exactly(1, "ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := collection.CheckSubmissionID(args[0]); err != nil {
				return usageError{err}
			}
			if expires < time.Second || expires > starter.MaxExpiry {
				return usagef("--expires %s: use 1s to %s, which is as long as S3 signs for", expires, starter.MaxExpiry)
			}
			return a.withClient(cmd, func(ctx context.Context, c client, _ config.Config) error {
				links, err := c.Links(ctx, args[0], expires)
				if err != nil {
					return explainMissing(ctx, c, args[0], err)
				}
				return a.answer(links, func() { showLinks(a.answers(), links, a.world.Now()) })
			})
		},
	}
	cmd.Flags().DurationVar(&expires, "expires", 24*time.Hour, "how long the links work, `DURATION` up to 168h (7 days)")
	return cmd
}

// showLinks writes a table of the files, and then their links, whole: they are there to be copied.
func showLinks(s *screen.Screen, links []starter.Link, now time.Time) {
	table := s.NewTable(screen.Column{Title: "NAME"}, screen.Column{Title: "RECORDS", Right: true},
		screen.Column{Title: "SIZE", Right: true}, screen.Column{Title: "EXPIRES"})
	capped := false
	for _, l := range links {
		records, size := "", ""
		if l.Records > 0 {
			records = screen.Count(l.Records)
		}
		if l.Size > 0 {
			size = screen.Size(l.Size)
		}
		capped = capped || l.Capped
		table.Row(screen.Text(l.Name), screen.Text(records), screen.Text(size), screen.Text(screen.Since(l.Expires, now)))
	}
	table.End()
	if capped {
		s.Line("%s", s.Paint(screen.Notice, "The links expire earlier than asked, because the credentials that sign them do."))
	}
	for _, l := range links {
		s.Blank()
		s.Line("%s", s.Paint(screen.Strong, screen.Clean(l.Name)))
		s.Line("%s", screen.Clean(l.URL))
	}
}
