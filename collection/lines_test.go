package collection

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDecodeLines(t *testing.T) {
	rows, err := DecodeLines[Count]([]byte(`{"outcome":"gone","records":1}` + "\n" + `{"outcome":"delivered","records":2}`))
	require.NoError(t, err)
	require.Equal(t, []Count{{Outcome: OutcomeGone, Records: 1}, {Outcome: OutcomeDelivered, Records: 2}}, rows)
	rows, err = DecodeLines[Count](nil)
	require.NoError(t, err)
	require.Empty(t, rows)
	_, err = DecodeLines[Count]([]byte("{}\n{\n"))
	require.ErrorContains(t, err, "line 2: ")
}
