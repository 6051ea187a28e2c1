package activities

import "github.com/weir-collect/weir/collection"

// Secrets keeps the secrets that requests carry, for a while, under their references.
type Secrets interface {
	// Doubt has a secret read again before its next use, unless that has just been done: a target did not accept it.
	Doubt(reference string)
}

// doubtSecrets has what the request carried read again where the target has turned it away: a key that was changed is taken up
// at once, and not when the process would have looked for itself. Some targets call a key that they do not know forbidden.
func (r *collectRun) doubtSecrets(met collection.Reason, method string) {
	if r.Secrets == nil || met != collection.ReasonAuthRequired && met != collection.ReasonBlocked {
		return
	}
	src, _ := r.src.By(method)
	for _, reference := range src.Request.SecretHeaders {
		r.Secrets.Doubt(reference)
	}
	for _, reference := range src.Request.SecretQuery {
		r.Secrets.Doubt(reference)
	}
}
