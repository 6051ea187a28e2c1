package sizing

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProblems(t *testing.T) {
	t.Parallel()
	var problems Problems
	require.NoError(t, problems.orNil(), "an empty list is no error")
	problems.add("months", 0, "use %d to %d", 1, 60)
	problems.add("history", nil, "it is empty")
	err := fmt.Errorf("size the fleet: %w", problems.orNil())
	require.EqualError(t, err, "size the fleet: months = 0: use 1 to 60\nhistory: it is empty")
	var found Problems
	require.True(t, errors.As(err, &found))
	require.Equal(t, "months", found[0].Where)
	require.EqualError(t, found[1], "history: it is empty")
}
