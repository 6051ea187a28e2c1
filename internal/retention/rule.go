package retention

import (
	"time"

	"github.com/weir-collect/weir/collection"
)

// Why says why an object is kept or deleted.
type Why string

// The reasons.
const (
	// Expired objects are older than their class is kept, and belong to nothing that is open: the only ones that go.
	Expired Why = "expired"
	// Young objects have not reached the age.
	Young Why = "young"
	// Open objects are old enough, and belong to a submission that is open.
	Open Why = "open"
	// Forever is kept whatever its age: its class has no retention.
	Forever Why = "forever"
	// Strange objects have a key that is none of weir's.
	Strange Why = "strange"
)

// Ages say how long each class is kept. A class that is not there, or has zero, is kept for ever.
type Ages map[collection.ObjectClass]time.Duration

// Of is the age at which a class goes; false if never.
func (a Ages) Of(c collection.ObjectClass) (time.Duration, bool) {
	age := a[c]
	return age, age > 0
}

// Decide says what becomes of an object that was last written at modified. open is asked only about objects that would
// go otherwise, since an answer costs something; its error is the answer's.
//
// The age counts from the last write. A clock of the store that is ahead makes objects younger, and so keeps them.
func (a Ages) Decide(key string, modified, now time.Time, open func(submission string) (bool, error)) (Why, error) {
	class, submission, ok := collection.SubmissionOfKey(key)
	if !ok {
		return Strange, nil
	}
	most, ends := a.Of(class)
	switch {
	case !ends:
		return Forever, nil
	case modified.IsZero(), now.Sub(modified) <= most:
		// An object whose age nobody knows is not old.
		return Young, nil
	case submission == "":
		return Expired, nil
	}
	held, err := open(submission)
	if err != nil {
		return Open, err
	}
	if held {
		return Open, nil
	}
	return Expired, nil
}
