package workers

import (
	"log/slog"
	"slices"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/secretrefs"
)

// warnOfSecrets reads every secret that some roles need, once, and logs those that cannot be read: else it is found out record by
// record, and each waits for hours. The process works all the same: a secret may come later, and most sources need none. No value
// is logged.
func warnOfSecrets(cfg config.Config, roles []collection.Role, read func(ref string) (string, error), logger *slog.Logger) {
	for _, r := range secretrefs.Of(cfg) {
		if r.Role != "" && !slices.Contains(roles, r.Role) {
			continue
		}
		if _, err := read(r.Ref); err != nil {
			logger.Warn("a secret cannot be read: what needs it waits until it can be", "key", r.Key, "reference", r.Ref, "error", err)
		}
	}
}
