package collection

// Reason is a stable code that says why a record ended as it did, or why an attempt failed.
// Reasons are append-only: they stand in ledgers, manifests, histories and search attributes.
type Reason string

// Reasons at which the target is at fault.
const (
	ReasonThrottled     Reason = "throttled"
	ReasonServerError   Reason = "server_error"
	ReasonConnectFailed Reason = "connect_failed"
	ReasonReset         Reason = "reset"
	ReasonTimeout       Reason = "timeout"
	ReasonTruncated     Reason = "truncated"
	ReasonTLSError      Reason = "tls_error"
	ReasonDNSTimeout    Reason = "dns_timeout"
	ReasonGone          Reason = "gone"
	ReasonDNSNotFound   Reason = "dns_not_found"
	ReasonBlocked       Reason = "blocked"
	ReasonAuthRequired  Reason = "auth_required"
	ReasonBadRequest    Reason = "bad_request"
	ReasonTooLarge      Reason = "too_large"
	ReasonRedirectLoop  Reason = "redirect_loop"
)

// Reasons at which the egress is at fault.
const (
	ReasonEgressUnavailable Reason = "egress_unavailable"
	ReasonEgressAuth        Reason = "egress_auth"
	ReasonEgressRefused     Reason = "egress_refused"
)

// Reasons of policy: a rule forbade the request or ended the waiting.
const (
	ReasonRobotsDenied      Reason = "robots_denied"
	ReasonRobotsUnreachable Reason = "robots_unreachable"
	ReasonRedirectOffSource Reason = "redirect_off_source"
	ReasonPrivateAddress    Reason = "private_address"
	ReasonThrottledTooLong  Reason = "throttled_too_long"
	ReasonExpired           Reason = "expired"
)

// Reasons at which the parse rules, or the page they meet, are at fault.
const (
	ReasonParseEmpty      Reason = "parse_empty"
	ReasonParseInvalid    Reason = "parse_invalid"
	ReasonSchemaViolation Reason = "schema_violation"
	ReasonDecodeError     Reason = "decode_error"
)

// Reasons at which the submitted row, file or request is at fault.
const (
	ReasonRowMalformed      Reason = "row_malformed"
	ReasonSourceUnknown     Reason = "source_unknown"
	ReasonRowDuplicate      Reason = "row_duplicate"
	ReasonSubmissionInvalid Reason = "submission_invalid"
	ReasonSubmissionEmpty   Reason = "submission_empty"
	ReasonCustomerUnknown   Reason = "customer_unknown"
	ReasonUploadMissing     Reason = "upload_missing"
	ReasonUploadUnreadable  Reason = "upload_unreadable"
	// ReasonCommandRefused is of an operator's command, not of a record.
	ReasonCommandRefused Reason = "command_refused"
)

// Reasons at which a person's command is the cause.
const (
	ReasonCancelled  Reason = "cancelled"
	ReasonTerminated Reason = "terminated"
)

// Reasons at which weir itself, or what it runs on, is at fault.
const (
	ReasonLeaseLost        Reason = "lease_lost"
	ReasonWorkerKiller     Reason = "worker_killer"
	ReasonDeliveryConflict Reason = "delivery_conflict"
	ReasonDeliveryLost     Reason = "delivery_lost"
	// ReasonDestinationRefused is of a shipment, not of a record.
	ReasonDestinationRefused Reason = "destination_refused"
	ReasonStoreUnavailable   Reason = "store_unavailable"
	ReasonInternal           Reason = "internal"
)
