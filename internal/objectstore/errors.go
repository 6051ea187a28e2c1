package objectstore

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/weir-collect/weir/collection"
)

// Error codes of S3 that decide something here.
const (
	codeConditionalConflict = "ConditionalRequestConflict"
	codeOperationAborted    = "OperationAborted"
	codePreconditionFailed  = "PreconditionFailed"
	codeNoSuchBucket        = "NoSuchBucket"
	codeNoSuchKey           = "NoSuchKey"
)

// deniedCodes are answers that only a person can change. Most come with 403, but not from every store: Versity's gateway
// calls an unknown access key XAdminUserNotFound, with 404.
var deniedCodes = []string{
	"AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken",
	"AccountProblem", "AllAccessDisabled", "RequestTimeTooSkewed", "XAdminUserNotFound",
}

// requestError is a request that failed: what was asked of which object, and what came of it.
type requestError struct {
	action, key, bucket, address string
	// kind is what a caller can decide on: ErrObjectMissing, ErrStoreDenied, or nil for everything that a later attempt
	// may change.
	kind  error
	cause error
}

// Error repeats neither request headers nor URLs, which may carry signatures.
func (e *requestError) Error() string {
	what := fmt.Sprintf("%s in bucket %s at %s", e.action, e.bucket, e.address)
	if e.key != "" {
		what = fmt.Sprintf("%s %s in bucket %s at %s", e.action, e.key, e.bucket, e.address)
	}
	if errors.Is(e.kind, collection.ErrObjectMissing) {
		return what + ": " + e.kind.Error()
	}
	if e.kind != nil {
		return fmt.Sprintf("%s: %v: %s", what, e.kind, said(e.cause))
	}
	return what + ": " + said(e.cause)
}

// Unwrap gives both the kind and the cause to errors.Is and errors.As.
func (e *requestError) Unwrap() []error {
	if e.kind == nil {
		return []error{e.cause}
	}
	return []error{e.kind, e.cause}
}

// fail wraps the error of a request about one object.
func (s *Store) fail(action, key string, err error) error {
	return &requestError{
		action: action, key: key, bucket: s.bucket, address: s.address,
		kind: kindOf(err), cause: err,
	}
}

// kindOf tells the errors apart that a caller decides on.
func kindOf(err error) error {
	status, code := answerOf(err)
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden, slices.Contains(deniedCodes, code):
		return collection.ErrStoreDenied
	case code == codeNoSuchKey:
		// Not every 404: a caller that sees an object missing may well write it anew or count it as lost, and what is
		// missing may be the bucket, the access key, or the whole store behind a web server.
		return collection.ErrObjectMissing
	}
	return nil
}

// answerOf is the store's answer behind an error: zero and empty where there was none. An answer without a body, as to
// HEAD, has no code of its own; the SDK makes one of its status then.
func answerOf(err error) (status int, code string) {
	if response, ok := errors.AsType[*smithyhttp.ResponseError](err); ok && response.Response != nil {
		status = response.HTTPStatusCode()
	}
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		code = api.ErrorCode()
	}
	return status, code
}

// refusedCondition says whether a conditional write was refused for what is there already.
func refusedCondition(err error) bool {
	status, code := answerOf(err)
	return status == http.StatusPreconditionFailed || code == codePreconditionFailed
}

// unanswered says whether a write may have reached the store and only its answer is missing. Some stores refuse a large
// write before they have read it, and close the connection; the refusal is then lost while the content is being sent,
// and trying again does not help. A store that has fallen silent is not asked what became of a write: it would be silent again,
// and who writes the same once more finds out.
func unanswered(ctx context.Context, err error) bool {
	if _, sent := errors.AsType[*smithyhttp.RequestSendError](err); !sent || ctx.Err() != nil || silent(err) {
		return false
	}
	failure, ok := errors.AsType[*net.OpError](err)
	return !ok || failure.Op != "dial"
}

// said is the shortest true account of why a request failed: the store's answer, or what broke on the way to it.
func said(err error) string {
	if silence, ok := errors.AsType[*silenceError](err); ok {
		return silence.Error()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "no answer in time (" + context.DeadlineExceeded.Error() + ")"
	}
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		status, code := answerOf(err)
		if status == 0 {
			return code + ": " + api.ErrorMessage()
		}
		if api.ErrorMessage() == "" {
			return fmt.Sprintf("%d %s", status, code)
		}
		return fmt.Sprintf("%d %s: %s", status, code, api.ErrorMessage())
	}
	if transport, ok := errors.AsType[*url.Error](err); ok {
		return transport.Err.Error()
	}
	return err.Error()
}
