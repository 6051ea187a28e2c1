// Package verdict reads the errors with which Temporal reports that an activity or a record's workflow has ended, and says
// what they mean in weir's words.
//
// It is called from workflow code and therefore replay-sensitive: pure, and changed only with the recorded histories at
// hand. The package must not know what anybody does about a verdict.
package verdict
