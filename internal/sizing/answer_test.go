package sizing

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnswer(t *testing.T) {
	t.Parallel()
	replay := func(n int) *ReplayFindings { return &ReplayFindings{Smallest: Replayed{Workers: n}} }
	shared := func(n int) *Sized { return &Sized{Smallest: Shared{Workers: n}} }
	for name, c := range map[string]struct {
		findings Findings
		workers  int
		because  Because
	}{
		"simulation":            {Findings{}, 14, BecauseSimulated},
		"smaller replay":        {Findings{Replay: replay(9)}, 14, BecauseSimulated},
		"equal":                 {Findings{Replay: replay(14), Shared: shared(14)}, 14, BecauseSimulated},
		"larger replay":         {Findings{Replay: replay(66)}, 66, BecauseReplay},
		"larger shared":         {Findings{Replay: replay(15), Shared: shared(20)}, 20, BecauseShared},
		"larger replay of both": {Findings{Replay: replay(21), Shared: shared(20)}, 21, BecauseReplay},
		"no replay keeps it":    {Findings{Replay: replay(0), Shared: shared(20)}, 0, BecauseReplay},
		"no ceiling keeps it":   {Findings{Replay: replay(66), Shared: shared(0)}, 0, BecauseShared},
	} {
		c.findings.Recommended = 14
		workers, because := c.findings.Answer()
		require.Equal(t, c.workers, workers, name)
		require.Equal(t, c.because, because, name)
	}
}
