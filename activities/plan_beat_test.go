package activities

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/intake"
)

// slowPiece is how many bytes a slow store gives at once.
const slowPiece = 64 << 10

// slowlyRead is a store whose streams go on only once another heartbeat was heard.
type slowlyRead struct {
	Store
	trial *trial
}

func (s slowlyRead) Open(ctx context.Context, key string) (io.ReadCloser, collection.ObjectInfo, error) {
	body, info, err := s.Store.Open(ctx, key)
	return slowBody{body, s.trial}, info, err
}

type slowBody struct {
	io.ReadCloser
	trial *trial
}

func (b slowBody) Read(p []byte) (int, error) {
	awaitBeat(b.trial)
	return b.ReadCloser.Read(p[:min(len(p), slowPiece)])
}

// awaitBeat waits for two heartbeats more: the second begins after the call.
func awaitBeat(tr *trial) {
	for heard := len(tr.heard()); len(tr.heard()) < heard+2; {
		time.Sleep(time.Millisecond)
	}
}

// requireBytesTold: the heartbeats say that bytes come, piece by piece.
func requireBytesTold(t *testing.T, tr *trial, pieces ...int64) {
	t.Helper()
	var told []int64
	for _, b := range tr.heard() {
		told = append(told, b.(intake.Position).Bytes)
	}
	require.True(t, slices.IsSorted(told))
	for _, n := range pieces {
		require.Contains(t, told, n)
	}
}

// TestPlanBeatsWithinARow: a row that is too long to be one is passed over at the speed of the store, and an attempt that was silent
// meanwhile would begin at the first byte for ever.
func TestPlanBeatsWithinARow(t *testing.T) {
	tr := &trial{heartbeat: 3 * time.Millisecond}
	p := newPlanning(500)
	in := p.uploaded(t, "list.jsonl", `{"url":"https://books.example/`+strings.Repeat("x", 3<<20)+`"}`+"\n"+`{"url":"https://books.example/2"}`)
	p.Planner.Store = slowlyRead{p.store, tr}
	plan, err := run(t, tr, p.Plan, in)
	require.NoError(t, err)
	require.Equal(t, 1, plan.Accepted)
	requireBytesTold(t, tr, slowPiece, 2<<20, 3<<20)
}

// TestPlanBeatsWhileItStores: rows of which each closes a batch are fewer within a heartbeat's time than any count of rows, and the
// last objects come after the last row.
func TestPlanBeatsWhileItStores(t *testing.T) {
	tr := &trial{heartbeat: 3 * time.Millisecond}
	p := newPlanning(1)
	in := p.uploaded(t, "list.csv", urls(3))
	puts := 0
	p.store.trouble = func(_ int, op, _ string) trouble {
		if op == "Put" {
			puts++
			awaitBeat(tr)
		}
		return trouble{}
	}
	_, err := run(t, tr, p.Plan, in)
	require.NoError(t, err)
	require.Equal(t, 5, puts, "three batches, the index and the plan")
	var rows []int64
	for _, b := range tr.heard() {
		rows = append(rows, b.(intake.Position).Rows)
	}
	require.Equal(t, []int64{0, 1, 2, 3}, slices.Compact(append([]int64{0}, rows...)))
	heard := len(tr.heard())
	time.Sleep(10 * time.Millisecond)
	require.Len(t, tr.heard(), heard, "the heartbeat ends with the attempt")
}
