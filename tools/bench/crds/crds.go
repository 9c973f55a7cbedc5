package crds

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/stratakube/strata/tools/testcluster/apiserver"
)

// Set has CRDs that are measured together.
type Set struct {
	Name        string
	Definitions []*v1.CustomResourceDefinition
}

// Figures are the costs of a set.
type Figures struct {
	Name           string
	CRDs           int
	Versions       int           // of all CRDs
	Served         int           // of these
	Bytes          int           // of all CRDs as JSON
	Heap           int64         // bytes of the API server's heap that all CRDs take
	CPU            time.Duration // of the API server until all schemas were published
	Published      time.Duration // from the first create until all schemas were published
	Explain, Apply time.Duration // medians
}

// HeapOfEach returns how many MB of heap a CRD takes.
func (f Figures) HeapOfEach() float64 { return float64(f.Heap) / float64(f.CRDs) / 1e6 }

// Spread returns a number of the definitions, from the smallest to the largest at equal distances.
// It returns all of them if there are no more.
func Spread(all []*v1.CustomResourceDefinition, count int) []*v1.CustomResourceDefinition {
	sizes := map[string]int{}
	for _, d := range all {
		sizes[d.Name] = size(d)
	}
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b *v1.CustomResourceDefinition) int { return sizes[a.Name] - sizes[b.Name] })
	if len(sorted) <= count {
		return sorted
	}
	out := make([]*v1.CustomResourceDefinition, count)
	for i := range out {
		out[i] = sorted[i*(len(sorted)-1)/(count-1)]
	}
	return out
}

func size(d *v1.CustomResourceDefinition) int {
	text, err := json.Marshal(d)
	if err != nil {
		return 0
	}
	return len(text)
}

// server is an API server that is measured.
type server struct {
	*apiserver.Cluster
	raw rest.Interface
}

// Measure creates the CRDs of a set on a new API server.
func Measure(ctx context.Context, set Set, report func(string)) (f Figures, err error) {
	f = Figures{Name: set.Name, CRDs: len(set.Definitions)}
	for _, d := range set.Definitions {
		f.Versions, f.Bytes = f.Versions+len(d.Spec.Versions), f.Bytes+size(d)
		for _, version := range d.Spec.Versions {
			if version.Served {
				f.Served++
			}
		}
	}
	cluster, err := apiserver.Start(ctx, apiserver.Options{Report: report})
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, cluster.Stop()) }()
	config := rest.CopyConfig(cluster.Config)
	config.QPS = -1
	clients, err := kubernetes.NewForConfig(config)
	if err != nil {
		return f, fmt.Errorf("measure CRDs: %w", err)
	}
	definitions, err := apiextensions.NewForConfig(config)
	if err != nil {
		return f, fmt.Errorf("measure CRDs: %w", err)
	}
	s := server{cluster, clients.Discovery().RESTClient()}
	heap, err := s.heap(ctx)
	if err != nil {
		return f, err
	}
	processor, err := s.processor(ctx)
	if err != nil {
		return f, err
	}
	began := time.Now()
	for _, d := range set.Definitions {
		if _, err := definitions.ApiextensionsV1().CustomResourceDefinitions().Create(ctx, d.DeepCopy(), metav1.CreateOptions{}); err != nil {
			return f, fmt.Errorf("create CRD %s: %w", d.Name, err)
		}
	}
	report(fmt.Sprintf("%s: %d CRDs were created after %s", set.Name, f.CRDs, time.Since(began).Round(time.Millisecond)))
	if err := s.published(ctx, set.Definitions, report); err != nil {
		return f, err
	}
	f.Published = time.Since(began)
	after, err := s.processor(ctx)
	if err != nil {
		return f, err
	}
	f.CPU = after - processor
	used, err := s.heap(ctx)
	if err != nil {
		return f, err
	}
	f.Heap = used - heap
	f.Explain, f.Apply, err = s.kubectl(ctx, set.Definitions)
	return f, err
}

// published waits until the API server's OpenAPI documents have every kind in each served version.
// It reads no document twice that was complete.
func (s server) published(ctx context.Context, all []*v1.CustomResourceDefinition, report func(string)) error {
	missing := map[string][]string{} // kinds, by path of the document
	for _, d := range all {
		for _, version := range d.Spec.Versions {
			if version.Served {
				path := "apis/" + d.Spec.Group + "/" + version.Name
				missing[path] = append(missing[path], `"kind":"`+d.Spec.Names.Kind+`"`)
			}
		}
	}
	reported := time.Now()
	err := wait.PollUntilContextTimeout(ctx, 200*time.Millisecond, 15*time.Minute, true, func(ctx context.Context) (bool, error) {
		text, err := s.raw.Get().AbsPath("/openapi/v3").DoRaw(ctx)
		if err != nil {
			return false, nil //nolint:nilerr // the server is busy
		}
		var index struct {
			Paths map[string]struct{ ServerRelativeURL string }
		}
		if err := json.Unmarshal(text, &index); err != nil {
			return false, fmt.Errorf("read OpenAPI: %w", err)
		}
		for path, kinds := range missing {
			entry, has := index.Paths[path]
			if !has {
				continue
			}
			document, err := s.raw.Get().RequestURI(entry.ServerRelativeURL).DoRaw(ctx)
			if err == nil && !slices.ContainsFunc(kinds, func(kind string) bool { return !strings.Contains(string(document), kind) }) {
				delete(missing, path)
			}
		}
		if time.Since(reported) > 2*time.Second {
			reported = time.Now()
			report(fmt.Sprintf("%d documents are not complete", len(missing)))
		}
		return len(missing) == 0, nil
	})
	if err != nil {
		return fmt.Errorf("await OpenAPI of %d versions: %w", len(missing), err)
	}
	return nil
}

// looks is how often the heap is read: it is least where the API server has nothing else to do.
const looks = 4

// heap returns the bytes of the API server's heap that are in use after a collection of garbage,
// the least of several.
func (s server) heap(ctx context.Context) (least int64, err error) {
	for i := range looks {
		if _, err := s.raw.Get().AbsPath("/debug/pprof/heap").Param("gc", "1").DoRaw(ctx); err != nil {
			return 0, fmt.Errorf("collect garbage: %w", err)
		}
		value, err := s.metric(ctx, "go_memstats_heap_alloc_bytes")
		if err != nil {
			return 0, err
		}
		if least = min(least, int64(value)); i == 0 {
			least = int64(value)
		}
		select {
		case <-ctx.Done():
			return 0, fmt.Errorf("read heap: %w", ctx.Err())
		case <-time.After(500 * time.Millisecond):
		}
	}
	return least, nil
}

// processor returns the processor time of the API server.
func (s server) processor(ctx context.Context) (time.Duration, error) {
	value, err := s.metric(ctx, "process_cpu_seconds_total")
	return time.Duration(value * float64(time.Second)), err
}

// metric returns the value of a metric without labels.
func (s server) metric(ctx context.Context, name string) (float64, error) {
	text, err := s.raw.Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return 0, fmt.Errorf("read metrics: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		if value, found := strings.CutPrefix(line, name+" "); found {
			return strconv.ParseFloat(strings.TrimSpace(value), 64)
		}
	}
	return 0, fmt.Errorf("the API server has no metric %s", name)
}

// rounds is how often kubectl does the same.
const rounds = 5

// kubectl returns how long it takes to explain the spec of the largest kind, and to apply its CRD
// on the side of the server, with a change.
func (s server) kubectl(ctx context.Context, all []*v1.CustomResourceDefinition) (explain, apply time.Duration, err error) {
	largest := slices.MaxFunc(all, func(a, b *v1.CustomResourceDefinition) int { return size(a) - size(b) })
	dir, err := os.MkdirTemp("", "strata-crds-")
	if err != nil {
		return 0, 0, fmt.Errorf("apply CRD: %w", err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "crd.json")
	explain, err = median(func(int) error {
		_, _, err := s.Kubectl().Run(ctx, "", "explain", largest.Spec.Names.Plural+"."+largest.Spec.Group+".spec")
		return err
	})
	if err != nil {
		return 0, 0, err
	}
	apply, err = median(func(i int) error {
		changed := largest.DeepCopy()
		changed.TypeMeta = metav1.TypeMeta{APIVersion: v1.SchemeGroupVersion.String(), Kind: "CustomResourceDefinition"}
		changed.Labels = map[string]string{"round": strconv.Itoa(i)}
		text, err := json.Marshal(changed)
		if err != nil {
			return err
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return err
		}
		_, _, err = s.Kubectl().Run(ctx, "", "apply", "--server-side", "--force-conflicts", "-f", file)
		return err
	})
	return explain, apply, err
}

func median(do func(i int) error) (time.Duration, error) {
	var all []time.Duration
	for i := range rounds {
		began := time.Now()
		if err := do(i); err != nil {
			return 0, err
		}
		all = append(all, time.Since(began))
	}
	slices.Sort(all)
	return all[len(all)/2], nil
}
