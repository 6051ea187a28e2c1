package collection

import (
	"errors"
	"time"
)

// Destination is a bucket of the customer's into which deliveries are shipped once they are settled. It never enters a
// history: workers look it up when they ship.
type Destination struct {
	// Endpoint is the URL of an S3-compatible service; empty means AWS.
	Endpoint string `mapstructure:"endpoint"`
	Region   string `mapstructure:"region"`
	Bucket   string `mapstructure:"bucket"`
	// Prefix stands before the submission's id in every key: "incoming/weir/". Empty means the top of the bucket.
	Prefix string `mapstructure:"prefix"`
	// PathStyle puts the bucket into the path instead of the host name.
	PathStyle bool `mapstructure:"path_style"`
	// AccessKey and SecretKey are references, "env:NAME" or "file:PATH"; with neither, AWS's default credential chain decides.
	AccessKey string `mapstructure:"access_key"`
	SecretKey string `mapstructure:"secret_key"`
	// Objects ships every record's own object as well, under records/.
	Objects bool `mapstructure:"objects"`
}

// IsZero says that there is no destination: deliveries stay in weir's bucket.
func (d Destination) IsZero() bool { return d == Destination{} }

// Folder is where a submission's delivery is at the destination, with a slash at its end.
func (d Destination) Folder(submission string) string { return d.Prefix + submission + "/" }

// ErrDestinationRefused says that a destination takes nothing until a person acts: its bucket is not there, or it does not
// accept our keys, or they cannot be read.
var ErrDestinationRefused = errors.New("the destination takes nothing")

// ShipGiveUp is how long a destination may fail to answer before a shipment ends. The delivery stands in weir's bucket
// meanwhile.
const ShipGiveUp = 7 * 24 * time.Hour

// ShipInput asks for a settled delivery to be shipped to a destination.
type ShipInput struct {
	Submission string `json:"submission"`
	Customer   string `json:"customer"`
	// To is the customer whose destination takes it. Without one it is that of the submission's own customer, if it has any;
	// where it has none, the delivery in weir's bucket is checked and nothing is shipped.
	To string `json:"to,omitempty"`
}

// ShipResult is the proof of a shipment. It is also the content of the submission's shipment object.
type ShipResult struct {
	// Destination is the folder: the endpoint, the bucket and the prefix as one URL. Empty where nothing was to be shipped.
	Destination string `json:"destination,omitempty"`
	// Files counts the files, the manifest and its checksum among them if they were shipped.
	Files int `json:"files"`
	// Objects counts the records' own objects.
	Objects int   `json:"objects,omitempty"`
	Bytes   int64 `json:"bytes"`
	// ManifestSHA256 is the digest of the manifest, the same at the destination as in weir's bucket.
	ManifestSHA256 string `json:"manifest_sha256"`
	// VerifiedAt is when the destination had confirmed the size and checksum of everything.
	VerifiedAt time.Time `json:"verified_at"`
}

// ShipProgress travels in heartbeats from one attempt of Ship to the next: what stands at a destination, verified.
type ShipProgress struct {
	// Destination and ManifestSHA256 say what is shipped where. Of any other delivery or place the counts say nothing.
	Destination    string `json:"destination,omitempty"`
	ManifestSHA256 string `json:"manifest_sha256"`
	// Files is how many of the manifest's files are there, in its order.
	Files int `json:"files,omitempty"`
	// Parts is how many parts' records are there as objects of their own, Objects how many objects these are, and
	// ObjectBytes how large.
	Parts       int   `json:"parts,omitempty"`
	Objects     int   `json:"objects,omitempty"`
	ObjectBytes int64 `json:"object_bytes,omitempty"`
}

// ShipLoss is a detail of a Ship's failure for files that weir's own bucket has lost: by what to settle them again.
type ShipLoss struct {
	// Standing says that there is a manifest, and Cancelled that it is one of a submission that was cancelled.
	Standing  bool `json:"standing"`
	Cancelled bool `json:"cancelled,omitempty"`
}

// RedeliverInput starts a Redeliver workflow: the delivery of a submission that has ended is written again.
type RedeliverInput struct {
	ShipInput
	// Cancelled says that the submission was cancelled, for the case that its manifest is lost. One that stands is believed
	// instead.
	Cancelled bool `json:"cancelled,omitempty"`
}

// Check reports everything that is wrong with the input by itself.
func (in RedeliverInput) Check() error {
	problems := []error{CheckSubmissionID(in.Submission), CheckName("customer", in.Customer)}
	if in.To != "" {
		problems = append(problems, CheckName("customer", in.To))
	}
	return errors.Join(problems...)
}

// RedeliverResult is what a Redeliver workflow returns.
type RedeliverResult struct {
	Shipped ShipResult `json:"shipped"`
	// Settled is set where files of the delivery were lost in weir's own bucket and had to be made again.
	Settled *SubmissionResult `json:"settled,omitempty"`
}

// RedeliverStatus answers the status query of a Redeliver workflow.
type RedeliverStatus struct {
	Submission string `json:"submission"`
	// To is the customer whose destination was named; empty for the submission's own.
	To string `json:"to,omitempty"`
	// Stage is "ship" or "settle"; empty once it has ended.
	Stage  string           `json:"stage,omitempty"`
	Result *RedeliverResult `json:"result,omitempty"`
}
