package fetch

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAllowanceStandsStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, a, cancel := allow(t.Context(), time.Minute)
		defer cancel()
		time.Sleep(40 * time.Second)
		for range 2 {
			goOn := a.pause()
			time.Sleep(time.Hour)
			require.NoError(t, ctx.Err())
			goOn()
			time.Sleep(9 * time.Second)
		}
		require.NoError(t, ctx.Err())
		time.Sleep(2*time.Second + time.Millisecond)
		require.Error(t, ctx.Err())
		a.pause()()
		require.Error(t, ctx.Err(), "used up is used up")
	})
}

func TestAllowanceEndsWithItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, a, cancel := allow(t.Context(), time.Minute)
		cancel()
		require.Error(t, ctx.Err())
		require.False(t, a.timer.Stop(), "no timer is left behind")
	})
}
