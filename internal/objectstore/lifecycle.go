package objectstore

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// ErrNoLifecycle says that the store knows no lifecycle rules.
var ErrNoLifecycle = errors.New("the store knows no lifecycle rules")

// lifecyclePrefix begins the names of weir's rules; rules with other names are somebody else's.
const lifecyclePrefix = "weir-"

// Expiry is a lifecycle rule of weir's: the store itself deletes what is under Prefix once it is Days old.
type Expiry struct {
	// Name is the rule's, without weir's own beginning.
	Name   string
	Prefix string
	Days   int
}

// Expiries are weir's rules that are in force, and how many rules others have.
func (s *Store) Expiries(ctx context.Context) (ours []Expiry, foreign int, err error) {
	rules, err := s.lifecycle(ctx)
	if err != nil {
		return nil, 0, err
	}
	for _, r := range rules {
		name, mine := strings.CutPrefix(aws.ToString(r.ID), lifecyclePrefix)
		if !mine {
			foreign++
			continue
		}
		e := Expiry{Name: name}
		if r.Filter != nil {
			e.Prefix = aws.ToString(r.Filter.Prefix)
		}
		if r.Expiration != nil && r.Status == types.ExpirationStatusEnabled {
			e.Days = int(aws.ToInt32(r.Expiration.Days))
		}
		ours = append(ours, e)
	}
	return ours, foreign, nil
}

// SetExpiries puts weir's rules into force: exactly these, and every rule of others as it is. It reads the rules again
// afterwards, since S3 has no way to refuse a write that crosses another one.
func (s *Store) SetExpiries(ctx context.Context, want []Expiry) error {
	rules, err := s.lifecycle(ctx)
	if err != nil {
		return err
	}
	merged := mergeRules(rules, want)
	if len(merged) == 0 {
		if _, err := s.client.DeleteBucketLifecycle(ctx, &s3.DeleteBucketLifecycleInput{Bucket: &s.bucket}); err != nil {
			return s.lifecycleFailed("take the lifecycle rules away", err)
		}
		return nil
	}
	if _, err := s.client.PutBucketLifecycleConfiguration(ctx, &s3.PutBucketLifecycleConfigurationInput{
		Bucket: &s.bucket, LifecycleConfiguration: &types.BucketLifecycleConfiguration{Rules: merged},
	}); err != nil {
		return s.lifecycleFailed("put the lifecycle rules", err)
	}
	got, foreign, err := s.Expiries(ctx)
	if err != nil {
		return err
	}
	byName := func(a, b Expiry) int { return strings.Compare(a.Name, b.Name) }
	slices.SortFunc(got, byName)
	if want = slices.SortedFunc(slices.Values(want), byName); !slices.Equal(got, want) || foreign != len(merged)-len(want) {
		return fmt.Errorf("the lifecycle rules of bucket %s are not as they were just written: somebody else writes them as well; look at them, and try again", s.bucket)
	}
	return nil
}

// mergeRules keeps what is not weir's, and in its order.
func mergeRules(rules []types.LifecycleRule, want []Expiry) []types.LifecycleRule {
	var merged []types.LifecycleRule
	for _, r := range rules {
		if !strings.HasPrefix(aws.ToString(r.ID), lifecyclePrefix) {
			merged = append(merged, r)
		}
	}
	for _, e := range want {
		merged = append(merged, types.LifecycleRule{
			ID: aws.String(lifecyclePrefix + e.Name), Status: types.ExpirationStatusEnabled,
			Filter:     &types.LifecycleRuleFilter{Prefix: aws.String(e.Prefix)},
			Expiration: &types.LifecycleExpiration{Days: aws.Int32(int32(e.Days))},
		})
	}
	return merged
}

func (s *Store) lifecycle(ctx context.Context) ([]types.LifecycleRule, error) {
	out, err := s.client.GetBucketLifecycleConfiguration(ctx, &s3.GetBucketLifecycleConfigurationInput{Bucket: &s.bucket})
	if _, code := answerOf(err); code == "NoSuchLifecycleConfiguration" {
		return nil, nil
	}
	if err != nil {
		return nil, s.lifecycleFailed("read the lifecycle rules", err)
	}
	return out.Rules, nil
}

func (s *Store) lifecycleFailed(action string, err error) error {
	wrapped := s.fail(action, "", err)
	if status, code := answerOf(err); status == http.StatusNotImplemented || code == "NotImplemented" {
		return fmt.Errorf("%w: %w", ErrNoLifecycle, wrapped)
	}
	return wrapped
}
