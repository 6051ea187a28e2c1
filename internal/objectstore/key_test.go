package objectstore

import (
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
)

func TestKeysThatPassAreTheirOwnPath(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.OneOf(
			rapid.SampledFrom([]string{"", ".", "..", "...", "a", " ", "%2e%2e", "\\", "\xff"}), rapid.String(),
		), 0, 5).Draw(t, "parts")
		key := strings.Join(parts, "/")
		if CheckKey(key) == nil {
			require.Equal(t, "/"+key, path.Clean("/"+key), "a folder would hold it elsewhere")
			require.NotEmpty(t, key)
			require.LessOrEqual(t, len(key), 1024)
		} else if require.ErrorIs(t, CheckKey(key), collection.ErrUnclearKey); path.Clean("/"+key) == "/"+key && key != "" && len(key) <= 1024 {
			require.False(t, strings.ToValidUTF8(key, "") == key, "%q is clear", key)
		}
	})
}
