package activities

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// TestCollectStartWait: over all attempts of a record its start wait is told once, when its first request starts; the wait of
// one that was requested before, by a run that is replayed, is over.
func TestCollectStartWait(t *testing.T) {
	for name, c := range map[string]struct {
		again bool
		want  []startedCall
	}{
		"first run": {false, []startedCall{{"acme", time.Minute}}},
		"replay":    {true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := newCollecting(answers(broken500, broken500, success))
			first := b.now
			in := collectInput
			in.Again = c.again
			tr := &trial{}
			var out collection.CollectResult
			var err error
			for range 3 {
				out, err = run(t, tr, b.Collect, in)
				require.Equal(t, c.want, b.metrics.started)
				if err != nil {
					tr = tr.next(t)
				}
				b.now = b.now.Add(time.Minute)
			}
			require.NoError(t, err)
			require.Equal(t, 3, out.Attempts)
			require.Equal(t, &first, out.FirstRequestAt, "of this run")
		})
	}
}
