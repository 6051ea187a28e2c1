package fetch

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/weir-collect/weir/collection"
)

// MaxRequestBody bounds the body of a request, in bytes.
const MaxRequestBody = 1 << 20

// acceptEncoding are the codings that decode.go reads.
const acceptEncoding = "gzip, deflate, br, zstd"

// InputError says that no request can be made of a record: the record, or the source's template, is at fault.
type InputError struct {
	// Field is the record's field at fault; empty when it is not a field.
	Field string
	// Detail is a sentence for a person.
	Detail string
}

// Error is the sentence.
func (e *InputError) Error() string { return e.Detail }

func inputError(format string, args ...any) *InputError {
	return &InputError{Detail: fmt.Sprintf(format, args...)}
}

// BuildRequest makes the request of a record, without the source's secrets and without a User-Agent of its own; a record that
// leads them where they must not go is refused all the same. Its error is an *InputError. The URL is the record's as it was written, or the source's template filled from the
// record's fields, where {url} is the record's URL unless it has a field of that name.
func BuildRequest(src collection.Source, rec collection.Record) (*http.Request, error) {
	fields, err := readFields(rec)
	if err != nil {
		return nil, err
	}
	u, err := requestURL(src, rec, fields)
	if err != nil {
		return nil, err
	}
	if err := checkMayHoldCredentials(src, u); err != nil {
		return nil, err
	}
	method := src.Request.Method
	if method == "" {
		method = http.MethodGet
	}
	req, err := http.NewRequest(strings.ToUpper(method), "", nil)
	if err != nil {
		return nil, inputError("the source's method %q is not one", method)
	}
	req.URL, req.Host = u, u.Host
	if err := addBody(req, src.Request, fields); err != nil {
		return nil, err
	}
	// The egress is chosen by this text: a record that cannot give it is at fault like one that cannot fill the URL.
	if _, err := expandText(src.Egress.Sticky, fields); err != nil {
		return nil, err
	}
	return req, addHeaders(req, src.Request.Headers)
}

func requestURL(src collection.Source, rec collection.Record, fields fields) (*url.URL, error) {
	raw := rec.URL
	if src.Request.URL != "" {
		var err error
		if raw, err = expandURL(src.Request.URL, fields); err != nil {
			return nil, err
		}
	}
	if raw == "" {
		return nil, inputError("the record has no URL, and source %q has no template to make one", src.Name)
	}
	u, err := parseTarget(raw)
	if err != nil {
		return nil, &InputError{Detail: err.Error()}
	}
	return u, nil
}

// addBody fills the source's body template.
func addBody(req *http.Request, r collection.Request, fields fields) error {
	if r.Body == "" {
		return nil
	}
	var body, contentType string
	var err error
	switch r.BodyType {
	case "json", "":
		contentType = "application/json"
		body, err = expandJSON(r.Body, fields)
	case "form":
		contentType = "application/x-www-form-urlencoded"
		body, err = expandForm(r.Body, fields)
	default:
		err = inputError("the source's body_type %q is not known: use json or form", r.BodyType)
	}
	if err != nil {
		return err
	}
	if len(body) > MaxRequestBody {
		return inputError("the request's body is %d bytes long: at most %d can be sent", len(body), MaxRequestBody)
	}
	req.Header.Set("Content-Type", contentType)
	setBody(req, []byte(body))
	return nil
}

// setBody gives a request a body that can be sent more than once.
func setBody(req *http.Request, body []byte) {
	req.ContentLength = int64(len(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	req.Body, _ = req.GetBody()
}

func addHeaders(req *http.Request, headers map[string]string) error {
	req.Header.Set("Accept", "*/*")
	req.Header.Set("Accept-Encoding", acceptEncoding)
	for name, value := range headers {
		if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return inputError("the source's header %q cannot be sent: its name or value has a character that HTTP does not allow", name)
		}
		if http.CanonicalHeaderKey(name) == "Host" {
			req.Host = value
			continue
		}
		req.Header.Set(name, value)
	}
	return nil
}
