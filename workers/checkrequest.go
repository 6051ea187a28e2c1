package workers

import (
	"fmt"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/fetch"
)

// checkRequest says whether a request can be built for a record, by every method of its source: nobody knows which one it
// will be.
func checkRequest(s collection.Source, r collection.Record) error {
	if len(s.Methods) == 0 {
		_, err := fetch.BuildRequest(s, r)
		return err
	}
	for _, m := range s.Methods {
		by, _ := s.By(m.Name)
		if _, err := fetch.BuildRequest(by, r); err != nil {
			return fmt.Errorf("method %s: %w", m.Name, err)
		}
	}
	return nil
}
