package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
)

// Reports cost events in two histories: ten in the batch's, four in its parent's, where each brings a workflow task of its
// own. A record costs its batch nine at most, so that these bounds keep a batch of 500 records below 5,000 events.
const (
	// batchReports is how many reports a batch makes at most, besides the one of its last release.
	batchReports = 40
	// parentReports is about how many of these a parent takes in over its life, however many records it has.
	parentReports = 200
)

// progressStep is how many moves a batch makes between two reports. Each record moves twice: released, ended.
func progressStep(all, batch int) int {
	return max(1, (2*batch+batchReports-1)/batchReports, (2*all+parentReports-1)/parentReports)
}

// fanOut runs the batches of a plan, each as a child workflow: sources side by side, so that none waits for another.
type fanOut struct {
	parent  batchParent
	sources []*sourceRun
}

// batchParent is the workflow that fans out.
type batchParent interface {
	// batch says how a batch is started.
	batch(source collection.SourcePlan, p collection.BatchPlan) (workflow.ChildWorkflowOptions, collection.BatchInput)
	// lost corrects what is known of a batch that has ended without a result.
	lost(b *batchRun)
	// details shows in Temporal Web how far the workflow is.
	details(ctx workflow.Context)
}

func newFanOut(parent batchParent, plans []collection.SourcePlan) fanOut {
	f := fanOut{parent: parent, sources: make([]*sourceRun, len(plans))}
	for i, p := range plans {
		f.sources[i] = &sourceRun{parent: parent, plan: p, batches: make([]batchRun, len(p.Batches))}
	}
	return f
}

// run returns when every batch has ended. It fails of nothing: what a batch left undone is its parent's to account for.
func (f *fanOut) run(ctx workflow.Context) {
	f.receiveProgress(ctx)
	done := workflow.NewWaitGroup(ctx)
	for _, s := range f.sources {
		done.Add(1)
		workflow.Go(ctx, func(ctx workflow.Context) {
			defer done.Done()
			s.run(ctx)
		})
	}
	done.Wait(ctx)
}

// receiveProgress takes in what batches report, for as long as the workflow runs.
func (f *fanOut) receiveProgress(ctx workflow.Context) {
	reports := workflow.GetSignalChannel(ctx, collection.SignalBatchProgress)
	workflow.Go(ctx, func(ctx workflow.Context) {
		for {
			var p collection.BatchProgress
			if !reports.Receive(ctx, &p) {
				return
			}
			for _, s := range f.sources {
				if s.plan.Source == p.Source {
					s.progress(p)
				}
			}
			f.parent.details(ctx)
		}
	})
}

// shares are what the status query tells of each source.
func (f *fanOut) shares() []collection.SourceProgress {
	var all []collection.SourceProgress
	for _, s := range f.sources {
		all = append(all, s.share())
	}
	return all
}
