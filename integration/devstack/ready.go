package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/server/common"
)

// readyLine is what the devstack prints on stdout, once, when every part answers.
type readyLine struct {
	Ready     bool   `json:"ready"`
	Temporal  string `json:"temporal"`
	Web       string `json:"web"`
	S3        string `json:"s3"`
	Namespace string `json:"namespace"`
	Bucket    string `json:"bucket"`
	Region    string `json:"region"`
	Data      string `json:"data"`
	PID       int    `json:"pid"`
}

func printReady(out io.Writer, o options, p ports) error {
	line := readyLine{
		Ready:     true,
		Temporal:  address(p.frontend),
		S3:        "http://" + address(p.s3),
		Namespace: o.namespace,
		Bucket:    o.bucket,
		Region:    s3Region,
		Data:      o.dataDir,
		PID:       os.Getpid(),
	}
	if !o.noWeb {
		line.Web = "http://" + address(p.web)
	}
	return json.NewEncoder(out).Encode(line)
}

// retry calls check until it succeeds or ctx ends; it returns the last error then.
func retry(ctx context.Context, check func(context.Context) error) error {
	for {
		attempt, cancel := context.WithTimeout(ctx, 5*time.Second)
		err := check(attempt)
		cancel()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("last answer: %w", err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// awaitTemporal waits until every service takes work: history owns all its shards, matching loads a queue, visibility
// knows the search attributes.
func awaitTemporal(ctx context.Context, hostPort, namespace, namespaceID string) error {
	c, err := client.NewLazyClient(client.Options{HostPort: hostPort, Namespace: namespace, Logger: silent{}})
	if err != nil {
		return err
	}
	defer c.Close()
	api := c.WorkflowService()
	return retry(ctx, func(ctx context.Context) error {
		for _, id := range workflowIDPerShard(namespaceID) {
			_, err := api.DescribeWorkflowExecution(ctx, &workflowservice.DescribeWorkflowExecutionRequest{
				Namespace: namespace, Execution: &commonpb.WorkflowExecution{WorkflowId: id},
			})
			var notFound *serviceerror.NotFound
			if err != nil && !errors.As(err, &notFound) {
				return fmt.Errorf("history: %w", err)
			}
		}
		_, err := api.DescribeTaskQueue(ctx, &workflowservice.DescribeTaskQueueRequest{
			Namespace: namespace, TaskQueue: &taskqueuepb.TaskQueue{Name: "weir"}, TaskQueueType: enumspb.TASK_QUEUE_TYPE_WORKFLOW,
		})
		if err != nil {
			return fmt.Errorf("matching: %w", err)
		}
		for _, attribute := range searchAttributes {
			query := attribute + ` = "devstack-ready"`
			if _, err := api.CountWorkflowExecutions(ctx, &workflowservice.CountWorkflowExecutionsRequest{Namespace: namespace, Query: query}); err != nil {
				return fmt.Errorf("visibility: %w", err)
			}
		}
		return nil
	})
}

// workflowIDPerShard finds one workflow id for each history shard. No workflow has these ids: a shard that answers "not
// found" is a shard that works.
func workflowIDPerShard(namespaceID string) map[int32]string {
	ids := map[int32]string{}
	for i := 0; len(ids) < historyShards; i++ {
		id := "devstack-ready-" + strconv.Itoa(i)
		ids[common.WorkflowIDToHistoryShard(namespaceID, id, historyShards)] = id
	}
	return ids
}

// awaitS3 waits for the gateway and creates the bucket if it is missing.
func awaitS3(ctx context.Context, o options, endpoint string) error {
	c := s3.New(s3.Options{
		BaseEndpoint: aws.String(endpoint),
		Region:       s3Region,
		UsePathStyle: true,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: o.accessKey, SecretAccessKey: o.secretKey}, nil
		}),
		RetryMaxAttempts: 1,
	})
	return retry(ctx, func(ctx context.Context) error {
		_, err := c.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: aws.String(o.bucket)})
		var mine *types.BucketAlreadyOwnedByYou
		if err != nil && !errors.As(err, &mine) {
			return err
		}
		_, err = c.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: aws.String(o.bucket), MaxKeys: aws.Int32(1)})
		return err
	})
}

// silent drops the SDK's log: the probe's client has nothing to tell.
type silent struct{}

var _ sdklog.Logger = silent{}

func (silent) Debug(string, ...any) {}
func (silent) Info(string, ...any)  {}
func (silent) Warn(string, ...any)  {}
func (silent) Error(string, ...any) {}
