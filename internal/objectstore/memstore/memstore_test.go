package memstore_test

import (
	"testing"

	"github.com/weir-collect/weir/internal/objectstore/memstore"
	"github.com/weir-collect/weir/internal/objectstore/storetest"
)

func TestContract(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(testing.TB) storetest.Store { return memstore.New() })
}
