package rewrite

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
)

const (
	pageSize = 250 // objects of one request
	workers  = 8   // writes at the same time
	examples = 20  // objects that a report names
	hopeless = 25  // failures without a success after which a run ends
)

// Options configure a run.
type Options struct {
	Client metadata.Interface
	// Resource is the kind in the version through which objects are read and written.
	Resource schema.GroupVersionResource
	// Others are other served versions. An object that the first version cannot show is named by
	// one of them.
	Others []string
	// Owners translates the entries of managedFields.
	Owners Owners
	// Removes returns the path of a value that a write would remove from an object; empty if there
	// is none. Such an object is not written. It may be nil.
	Removes func(ctx context.Context, m *metav1.PartialObjectMetadata) (path string, err error)
	Pace    *Pace
	// Marker is a resource version that is later than the last write in another version, if it is
	// known. Objects that were written after it, and whose owners name no version that goes, count
	// as unchanged without a request. So a run that is continued again and again comes to an end.
	Marker string
	// Pause is the time before a request that failed is repeated for the first time.
	Pause time.Duration
	// Progress gets the counts after each page, and the number of objects that are left as far as
	// the API server knows it.
	Progress func(r Report, left int64)
}

// Report counts the objects of a kind by what became of them.
type Report struct {
	Objects int `json:"objects"`
	// Written objects were stored anew. Unchanged ones were stored in the storage version already.
	Written   int `json:"written"`
	Unchanged int `json:"unchanged"`
	// Gone objects were deleted in the meantime.
	Gone int `json:"gone"`
	// Entries is the number of entries of managedFields that were translated.
	Entries int `json:"entries"`
	// Lost counts objects with owned fields that the other version lacks. Inexact counts objects
	// with owned fields whose values are in other fields, and no history says in which.
	Lost    Finding `json:"lost"`
	Inexact Finding `json:"inexact"`
	// Poison are objects that could not be written.
	Poison Finding `json:"poison"`
}

// Finding is a count with examples.
type Finding struct {
	Objects  int       `json:"objects"`
	Examples []Example `json:"examples,omitempty"`
}

// Example is an object, and what was found.
type Example struct {
	Object string `json:"object"`
	Reason string `json:"reason"`
}

func (f *Finding) add(object, reason string) {
	f.Objects++
	if len(f.Examples) < examples {
		f.Examples = append(f.Examples, Example{object, reason})
	}
}

// Run rewrites all objects of a kind. An object that cannot be written is an example of the report
// and no error. It ends with an error if no object can be written, or if the context ends.
func Run(ctx context.Context, o Options) (Report, error) {
	r := &run{Options: o}
	if o.Marker != "" {
		r.marked(o.Marker, true)
		r.counts = true
	}
	err := r.all(ctx)
	return r.report, err
}

// all visits all objects of a kind.
func (r *run) all(ctx context.Context) error {
	inner := r.Owners.Live
	r.Owners.Live = func(ctx context.Context, m *metav1.PartialObjectMetadata, version string) (live map[string]any, err error) {
		err = r.retry(ctx, func() (err error) {
			live, err = inner(ctx, m, version)
			return err
		})
		return live, err
	}
	options := metav1.ListOptions{Limit: pageSize}
	for {
		list, err := r.page(ctx, options)
		if err != nil {
			return err
		}
		if r.listed == "" {
			r.listed = list.ResourceVersion
		}
		if err := r.objects(ctx, list.Items); err != nil {
			return err
		}
		if left := list.RemainingItemCount; left != nil {
			r.Progress(r.report, *left)
		}
		if options.Continue = list.Continue; options.Continue == "" {
			return nil
		}
	}
}

type run struct {
	Options
	lock    sync.Mutex
	report  Report
	success bool
	fatal   error

	// skips reports whether an object needs no write; nil if each gets one.
	skips   func(*metav1.PartialObjectMetadata) (bool, error)
	skipped int
	counts  bool // the report has objects that were skipped, as unchanged
	// isPast reports whether an object was written after the marker of evidence; nil without one.
	// Stale counts the objects that were not, and that a write stored anew.
	isPast func(*metav1.PartialObjectMetadata) (bool, error)
	stale  int
	listed string // the resource version of the first page
	dryRun []string
}

// objects rewrites the objects of a page, several at the same time.
func (r *run) objects(ctx context.Context, items []metav1.PartialObjectMetadata) error {
	next := make(chan *metav1.PartialObjectMetadata)
	var group sync.WaitGroup
	for range min(workers, len(items)) {
		group.Go(func() {
			for m := range next {
				r.object(ctx, m)
			}
		})
	}
	for i := range items {
		if ctx.Err() != nil || r.failed() != nil {
			break
		}
		if r.skips != nil {
			skip, err := r.skips(&items[i])
			if err != nil {
				r.fail(err)
			}
			if skip {
				r.skip()
				continue
			}
		}
		next <- &items[i]
	}
	close(next)
	group.Wait()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("interrupted after %d objects; the next run continues: %w", r.report.Objects, err)
	}
	return r.failed()
}

// skip counts an object that needs no write. It does not show that the user may write.
func (r *run) skip() {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.skipped++
	if r.counts {
		r.report.Objects++
		r.report.Unchanged++
	}
}

// hasWritten reports whether an object was written, or found as it should be.
func (r *run) hasWritten() bool {
	r.lock.Lock()
	defer r.lock.Unlock()
	return r.success
}

func (r *run) fail(err error) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.fatal = err
}

func (r *run) failed() error {
	r.lock.Lock()
	defer r.lock.Unlock()
	return r.fatal
}

// count changes the report.
func (r *run) count(change func(*Report)) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.report.Objects++
	r.success = true
	change(&r.report)
}

// poison records an object that cannot be written. Many failures and no success are a fault of the
// cluster or of the user's rights, and not of objects.
func (r *run) poison(name string, err error) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if errors.As(err, new(*url.Error)) {
		r.fatal = fmt.Errorf("the API server does not answer; the next run continues: %w", err)
		return
	}
	r.report.Objects++
	r.report.Poison.add(name, reason(err))
	if !r.success && r.report.Poison.Objects >= hopeless && r.fatal == nil {
		r.fatal = fmt.Errorf("none of %d objects can be written; the last one is %s: %w", r.report.Poison.Objects, name, err)
	}
}

// reason returns an error's text, bounded.
func reason(err error) string {
	const limit = 1000
	text := err.Error()
	var status apierrors.APIStatus
	if errors.As(err, &status) && status.Status().Message != "" {
		text = status.Status().Message
	}
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "") + "..."
	}
	return text
}
