package activities

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/extract"
)

// full is memory that is all taken.
type full struct{ met chan struct{} }

func (f full) Acquire(ctx context.Context, _ int64) (int64, error) {
	close(f.met)
	<-ctx.Done()
	return 0, ctx.Err()
}

func (full) Release(taken int64) {
	if taken != 0 {
		panic("nothing was taken")
	}
}

// TestParseRoom: a large body waits for room for what it becomes, one that is packed for what it may unpack to, and a small one
// for none; all is given back.
func TestParseRoom(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		most int64
	}{
		"small":         {"<h1>A</h1>", 0},
		"at most small": {"<h1>A</h1>" + strings.Repeat(" ", collection.SmallBody-10), 0},
		"large":         {"<h1>A</h1>" + strings.Repeat(" ", collection.SmallBody), extract.Weight(collection.SmallBody + 10)},
		"packed":        {"\x1f\x8b\x08 not really", extract.Weight(extract.MaxUnpacked)},
	} {
		t.Run(name, func(t *testing.T) {
			p := newParsing(t, compiled(t, "", titleAndPrice), "text/html", c.body)
			_, err := p.parse(t)
			if name != "packed" {
				require.NoError(t, err)
			} else {
				requireFinal(t, err, collection.ReasonDecodeError)
			}
			memory := p.Memory.(*room)
			require.Equal(t, c.most, memory.most)
			require.Zero(t, memory.taken)
		})
	}
}

// TestParseWithoutRoom: a parse that gets no room before its worker stops is taken up elsewhere, and says while it waits that it
// does, so that it is charged with no worker that is lost meanwhile.
func TestParseWithoutRoom(t *testing.T) {
	large := "<h1>A</h1>" + strings.Repeat(" ", collection.SmallBody)
	p := newParsing(t, compiled(t, "", titleAndPrice), "text/html", large)
	memory := full{make(chan struct{})}
	p.Memory = memory
	stop := make(chan struct{})
	tr := &trial{stop: stop, heartbeat: 3 * time.Millisecond}
	go func() {
		<-memory.met
		for end := time.Now().Add(10 * time.Second); !slices.Contains(tr.waits(), "memory") && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		close(stop)
	}()
	_, err := run(t, tr, p.Parse, p.in)
	requireTransient(t, err, collection.ReasonLeaseLost, "another one takes it")
	require.Contains(t, tr.waits(), "memory")
	require.False(t, p.store.called("Get "+p.in.Raw.Key), "the body is not read before there is room")

	ctx, cancel := stoppable(t)
	memory = full{make(chan struct{})}
	p.Memory = memory
	go func() {
		<-memory.met
		cancel(temporal.NewCanceledError())
	}()
	_, err = run(t, &trial{ctx: ctx}, p.Parse, p.in)
	requireCancelled(t, err)
}

// TestParseEndsWithItsContext: rules that go on and on do not outlive who asked.
func TestParseEndsWithItsContext(t *testing.T) {
	endless := collection.Parse{Type: "json", Fields: []collection.Field{{Name: "n", JQ: "last(range(1000000000))"}}}
	p := newParsing(t, compiled(t, "", endless), "application/json", "1")
	ctx, cancel := stoppable(t)
	p.store.trouble = func(int, string, string) trouble {
		cancel(temporal.NewCanceledError())
		return trouble{}
	}
	_, err := run(t, &trial{ctx: ctx}, p.Parse, p.in)
	requireCancelled(t, err)

	// While somebody waits, it is the rules that are at fault.
	p = newParsing(t, compiled(t, "", endless), "application/json", "1")
	_, err = p.parse(t)
	requireFinal(t, err, collection.ReasonParseInvalid, "10000000 steps")
}

// TestReadingTime: an attempt stops reading while there is time to say so.
func TestReadingTime(t *testing.T) {
	_, err := run(t, &trial{}, func(ctx context.Context, _ string) (string, error) {
		reading, cancel := readingTime(ctx)
		defer cancel()
		whole, ok := ctx.Deadline()
		part, limited := reading.Deadline()
		if ok && (!limited || whole.Sub(part) < handBack/2) {
			return "", errors.New("the reading may last as long as the attempt")
		}
		return "", nil
	}, "")
	require.NoError(t, err)
}
