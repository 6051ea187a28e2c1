package collection

import (
	"slices"
	"time"
)

// Source is a site or an API, as the configuration describes it. It never enters a history: what workflows must know of
// it is its SourcePolicy.
type Source struct {
	Name string `mapstructure:"name"`
	// Owner is who looks after the source: whose its dead letters are.
	Owner string `mapstructure:"owner"`
	// Customers are who may have records collected from the source; everybody when empty.
	Customers []string `mapstructure:"customers"`
	// Hosts are the names whose URLs belong to this source, without ports: "www.example.com", or "*.example.com" for
	// every name below example.com.
	Hosts []string `mapstructure:"hosts"`
	// Elsewhere are the hosts below this source's wildcards that other sources have for themselves. They are no key of the
	// configuration: they follow from it.
	Elsewhere []string `mapstructure:"-"`
	// Ceiling is how many requests may be in flight against the source, over the whole fleet.
	Ceiling int `mapstructure:"ceiling"`
	// Pace is how many requests per second may start against the source, over the whole fleet; zero means no limit.
	Pace float64 `mapstructure:"pace"`
	// Burst is how many requests may start at once at a source with a pace.
	Burst int `mapstructure:"burst"`
	// Hours are when the source may be collected from; always when there are no windows.
	Hours Hours `mapstructure:"hours"`
	// Breaker stops a source that is failing.
	Breaker Breaker `mapstructure:"breaker"`
	// Prefetch is how many collect tasks may be in hand beyond the permits, so that the next is there when a request ends.
	Prefetch int `mapstructure:"prefetch"`
	// Window is how many records of one batch may be released and unfinished; zero derives it from the ceiling.
	Window int `mapstructure:"window"`
	// Timeout bounds one request, from dialling to the last byte of the body.
	Timeout time.Duration `mapstructure:"timeout"`
	// Attempts is how many faults of the target a record may meet before it is dead-lettered.
	Attempts int `mapstructure:"attempts"`
	// Backoff is the wait after a fault: between half of a bound and the bound, which grows from twice Min to Max so fast
	// that a record's attempts are spread over more than half of Max, however few they are.
	Backoff Backoff `mapstructure:"backoff"`
	// GiveUpAfter bounds the whole time of one record's collecting, waits included.
	GiveUpAfter time.Duration `mapstructure:"give_up_after"`
	// MaxBody bounds a body after decoding, in bytes.
	MaxBody int64 `mapstructure:"max_body"`
	// RequireLength takes a body that only the end of the connection ends for one that was cut off.
	RequireLength bool `mapstructure:"require_length"`
	// AllowPrivateAddresses permits requests to loopback, link-local and private addresses.
	AllowPrivateAddresses bool `mapstructure:"allow_private_addresses"`
	// Robots is RobotsObey (the default) or RobotsIgnore, which wants a RobotsReason in writing.
	Robots       string `mapstructure:"robots"`
	RobotsReason string `mapstructure:"robots_reason"`
	// Conditional asks the source for what has changed since the record was last fetched, by ETag and Last-Modified.
	Conditional bool `mapstructure:"conditional"`
	// Egress says by which egresses the source is asked.
	Egress EgressUse `mapstructure:"egress"`

	Request Request `mapstructure:"request"`
	Parse   Parse   `mapstructure:"parse"`
	// Methods are the ways to fetch a record, the preferred one first. Without any there is one, by Request and Parse.
	Methods []Method `mapstructure:"methods"`
	// FallbackAfter is how often in a row the breaker opens before the next method is used; zero leaves it to operators.
	FallbackAfter int `mapstructure:"fallback_after"`
	// Checks are what settled submissions are held against.
	Checks QualityRules `mapstructure:"checks"`
}

// What a source says of robots.txt.
const (
	RobotsObey   = "obey"
	RobotsIgnore = "ignore"
)

// Method is one way to fetch a source's records: the page, an API, a mirror.
type Method struct {
	Name    string  `mapstructure:"name"`
	Request Request `mapstructure:"request"`
	// Parse reads this method's responses; the source's own rules do where it has no type.
	Parse Parse `mapstructure:"parse"`
}

// By is the source as one of its methods asks it. The empty name is the first method, or the source's own request. It says
// false for a method that the source does not have.
func (s Source) By(method string) (Source, bool) {
	if len(s.Methods) == 0 {
		return s, method == ""
	}
	i := 0
	if method != "" {
		i = slices.IndexFunc(s.Methods, func(m Method) bool { return m.Name == method })
	}
	if i < 0 {
		return s, false
	}
	s.Request = s.Methods[i].Request
	if s.Methods[i].Parse.Type != "" {
		s.Parse = s.Methods[i].Parse
	}
	return s, true
}

// RecordURL is the URL template that stands for the record's own URL, as an empty one does.
const RecordURL = "{url}"

// AsksRecordURL says whether any way to fetch from the source requests the URL that a record brings.
func (s Source) AsksRecordURL() bool {
	own := func(r Request) bool { return r.URL == "" || r.URL == RecordURL }
	if len(s.Methods) == 0 {
		return own(s.Request)
	}
	return slices.ContainsFunc(s.Methods, func(m Method) bool { return own(m.Request) })
}

// Serves says whether a customer may have records collected from the source.
func (s Source) Serves(customer string) bool {
	return len(s.Customers) == 0 || slices.Contains(s.Customers, customer)
}

// EgressDirect is the egress without a proxy. It needs no configuration.
const EgressDirect = "direct"

// EgressUse says by which egresses a source is asked.
type EgressUse struct {
	// Use are the names of egresses, and EgressDirect for none; only direct when empty. A source never goes out by a way
	// that is not listed here, however many of the others are retired.
	Use []string `mapstructure:"use"`
	// Sticky is a template over the record's fields, as in a request: records of which it gives the same text go out by the
	// same egress for as long as that one is good.
	Sticky string `mapstructure:"sticky"`
}

// Egress is an egress of the fleet: a proxy.
type Egress struct {
	Name string `mapstructure:"name"`
	// Type is "http" (a proxy that knows CONNECT), "https" (the same over TLS) or "socks5".
	Type string `mapstructure:"type"`
	// Address is the proxy's host:port.
	Address string `mapstructure:"address"`
	// User and Password are references, "env:NAME" or "file:PATH"; both or neither.
	User     string `mapstructure:"user"`
	Password string `mapstructure:"password"`
	// AllowPrivateAddress permits a proxy at a loopback, link-local or private address.
	AllowPrivateAddress bool `mapstructure:"allow_private_address"`
}

// Hours are windows of the week in a time zone.
type Hours struct {
	// Zone is the name of a time zone, for instance "Europe/London"; UTC when empty.
	Zone string `mapstructure:"zone"`
	// Windows are like "22:00-06:00" or "Mon-Fri,Sun 22:00-06:00"; the days are those on which they open.
	Windows []string `mapstructure:"windows"`
}

// Breaker says when a source counts as failing: at least so many faults, and at least such a share of its requests, within
// a while.
type Breaker struct {
	Window  time.Duration `mapstructure:"window"`
	Faults  int           `mapstructure:"faults"`
	Percent int           `mapstructure:"percent"`
	// Open is how long no request is made the first time; it doubles up to MaxOpen while the source goes on failing.
	Open    time.Duration `mapstructure:"open"`
	MaxOpen time.Duration `mapstructure:"max_open"`
}

// Backoff bounds the waits between attempts.
type Backoff struct {
	Min time.Duration `mapstructure:"min"`
	Max time.Duration `mapstructure:"max"`
}

// Request says how a record becomes an HTTP request. In URL and Body, {name} stands for the record's field of that name.
type Request struct {
	// URL is a template; empty means the record's URL as it was submitted.
	URL string `mapstructure:"url"`
	// Method is GET when empty.
	Method  string            `mapstructure:"method"`
	Headers map[string]string `mapstructure:"headers"`
	// SecretHeaders are headers whose values are references: "env:NAME" or "file:PATH".
	SecretHeaders map[string]string `mapstructure:"secret_headers"`
	// SecretQuery are parameters that are added to the URL when it is sent, and to no URL that is kept or told; their values
	// are references.
	SecretQuery QuerySecrets `mapstructure:"secret_query"`
	// SecretOrigins are where the secrets may go besides https on its own port: "http://www.example.com:8080", or
	// "http://*.example.com". What the URL template spells out needs none.
	SecretOrigins []string `mapstructure:"secret_origins"`
	// Body is a template. In a "json" body, {name} becomes the field's JSON; in a "form" body, its form encoding.
	Body string `mapstructure:"body"`
	// BodyType is "json" or "form".
	BodyType string `mapstructure:"body_type"`
}

// SendsSecrets says whether the request carries any secret that is a reference.
func (r Request) SendsSecrets() bool { return len(r.SecretHeaders)+len(r.SecretQuery) > 0 }

// QuerySecrets are references by the names of parameters, whose case counts.
type QuerySecrets map[string]string

// Parse says how a response becomes the fields of a document.
type Parse struct {
	// Type is "html", "json" or "csv".
	Type   string  `mapstructure:"type"`
	Fields []Field `mapstructure:"fields"`
	// Schema is a JSON Schema that the fields must satisfy: the path of a file, beside the configuration file.
	Schema string `mapstructure:"schema"`
}

// Field is one field of a document: where its value stands in the response, and what it must be. Exactly one of CSS,
// JSONLD, Microdata, JQ and Column says where; only an object in a CSV document has none, since it is a row.
type Field struct {
	Name string `mapstructure:"name"`
	// Type is "string" (the default), "integer", "number", "boolean", "date", "datetime", "url", "object" or "any".
	Type string `mapstructure:"type"`
	// List collects every match instead of the first.
	List bool `mapstructure:"list"`
	// Required makes a record without this field a parse_invalid.
	Required bool `mapstructure:"required"`

	// CSS is a selector in an HTML document.
	CSS string `mapstructure:"css"`
	// Attribute is taken of the selected element instead of its text.
	Attribute string `mapstructure:"attribute"`
	// JSONLD is a jq expression over the document's JSON-LD items, an array.
	JSONLD string `mapstructure:"json_ld"`
	// Microdata is a jq expression over the document's microdata items, an array.
	Microdata string `mapstructure:"microdata"`
	// JQ is a jq expression over a JSON document.
	JQ string `mapstructure:"jq"`
	// Column is the header of a column of a CSV document.
	Column string `mapstructure:"column"`

	// Match is a regular expression; its first group, or the whole match, becomes the text.
	Match string `mapstructure:"match"`
	// Trim cuts white space at both ends and folds it inside; on unless set to false.
	Trim *bool `mapstructure:"trim"`
	// Decimal is the decimal separator of numbers, "." or ",". Empty means ".", and then three digits behind it are refused
	// where they may be thousands.
	Decimal string `mapstructure:"decimal"`
	// Layouts are the layouts of dates, as Go's time package writes them; RFC 3339 and ISO dates when empty.
	Layouts []string `mapstructure:"layouts"`
	// Zone is the time zone of dates that name none, for instance "Europe/London"; UTC when empty.
	Zone string `mapstructure:"zone"`
	// Fields are the fields of an "object", read inside the selected element or value, by the same kind of locator as the
	// object's own. The CSS selector ":scope" means the selected element itself.
	Fields []Field `mapstructure:"fields"`
}

// Customer is who submits work.
type Customer struct {
	Name string `mapstructure:"name"`
	// Weight is the customer's share by contract, against the other customers' weights.
	Weight float64 `mapstructure:"weight"`
	// Lanes are the lanes that the customer may ask for.
	Lanes []Lane `mapstructure:"lanes"`
	// Layout is how the customer's results are written, and Destination where they are shipped to once they are settled.
	Layout      Layout      `mapstructure:"layout"`
	Destination Destination `mapstructure:"destination"`
	// TakesFor are the customers whose deliveries an operator may send to this one's destination; nobody else's ever go there.
	TakesFor []string `mapstructure:"takes_for"`
}

// Takes says whether deliveries of a customer may go to this one's destination.
func (c Customer) Takes(customer string) bool {
	return customer == c.Name || slices.Contains(c.TakesFor, customer)
}

// Allows says whether the customer may use a lane.
func (c Customer) Allows(l Lane) bool { return slices.Contains(c.Lanes, l) }

// windowFactor is how many times the ceiling is released at once: enough to keep the permits in use while finished
// records are replaced, little enough that what comes later need not wait behind a backlog.
const windowFactor = 3

// Policy is what workflows must know of the source. heartbeat is the worker's heartbeat timeout.
func (s Source) Policy(heartbeat time.Duration) SourcePolicy {
	window := s.Window
	if window == 0 {
		window = windowFactor*s.Ceiling + s.Prefetch
	}
	return SourcePolicy{
		Window:           window,
		HeartbeatTimeout: Duration(heartbeat),
		GiveUpAfter:      Duration(s.GiveUpAfter),
	}
}
