package reviews

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/stratakube/strata/tools/testcluster/apiserver"
)

// Case is a request under conditions.
type Case struct {
	Request string // one of [Requests], or [Idle]
	Storage bool   // the request goes through the storage version, and else through another one

	Served   int  // versions that the CRD serves
	Managers int  // versions, beside the storage version and that of the request, that managers name
	Policies int  // versions, beside these, that admission policies name
	Caches   bool // the API server has a cache for each served version, as it has by default
}

// Requests are for one object, in the order of the page.
var Requests = []string{"get", "create", "update", "patch", "apply", "update of the status", "delete"}

// Count is the number of reviews that a request has caused.
type Count struct {
	Case
	Reviews int
}

// usual is the number of versions that a CRD serves in a case that is about something else.
const usual = 4

// cases are those of one request. Each but the first differs from it in one condition.
func cases(request string, storage, caches bool) []Case {
	first := Case{Request: request, Storage: storage, Served: usual, Caches: caches}
	all := []Case{first}
	for _, change := range []func(c *Case){
		func(c *Case) { c.Served = 2 },
		func(c *Case) { c.Served = 8 },
		func(c *Case) { c.Managers = 1 },
		func(c *Case) { c.Managers = 2 },
		func(c *Case) { c.Policies = 1 },
		func(c *Case) { c.Policies = 2 },
	} {
		c := first
		change(&c)
		if request != "create" || c.Managers == 0 { // nobody manages what does not exist
			all = append(all, c)
		}
	}
	return all
}

// Run counts the reviews of the cases of all requests, on one API server with caches, and on one
// without.
func Run(ctx context.Context, report func(string)) ([]Count, error) {
	var all []Count
	for _, caches := range []bool{true, false} {
		counts, err := run(ctx, caches, report)
		if err != nil {
			return nil, err
		}
		all = append(all, counts...)
	}
	return all, nil
}

func run(ctx context.Context, caches bool, report func(string)) (all []Count, err error) {
	cluster, err := apiserver.Start(ctx, apiserver.Options{Report: report, Flags: []string{fmt.Sprintf("--watch-cache=%t", caches)}})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, cluster.Stop()) }()
	client, err := dynamic.NewForConfig(cluster.Config)
	if err != nil {
		return nil, fmt.Errorf("count reviews: %w", err)
	}
	hook, err := serve(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, hook.close()) }()
	kinds := map[[2]int]*kind{}
	of := func(served, policies int) (*kind, error) {
		key := [2]int{served, policies}
		if kinds[key] == nil {
			if kinds[key], err = define(ctx, client, hook, served, others(policies)); err != nil {
				return nil, err
			}
		}
		return kinds[key], nil
	}
	var resting *idle
	if caches {
		var those []*kind
		for _, c := range idleCases() {
			k, err := of(c.Served, c.Policies)
			if err != nil {
				return nil, err
			}
			those = append(those, k)
		}
		if resting, err = watch(ctx, those); err != nil {
			return nil, err
		}
	}
	for _, request := range Requests {
		for _, storage := range []bool{true, false} {
			for _, c := range cases(request, storage, caches) {
				k, err := of(c.Served, c.Policies)
				if err != nil {
					return nil, err
				}
				reviews, err := k.count(ctx, c, fmt.Sprintf("object-%d", len(all)))
				if err != nil {
					return nil, err
				}
				report(fmt.Sprintf("%+v: %d", c, reviews))
				all = append(all, Count{c, reviews})
			}
		}
	}
	if resting == nil {
		return all, nil
	}
	report("waits until the API server has compared its caches with etcd")
	unasked, err := resting.counts(ctx)
	return append(all, unasked...), err
}

// through is the version of a request that does not go through the storage version.
const through = "v1"

// others are versions that neither store objects nor are named by the request.
func others(count int) (all []string) {
	for i := range count {
		all = append(all, version(2+i))
	}
	return all
}

// agrees is how many times in a row a count must be the same. What an API server does beside the
// request, such as filling a cache, may add reviews to one of them.
const agrees = 2

// count returns how many reviews the request of a case causes.
func (k *kind) count(ctx context.Context, c Case, name string) (int, error) {
	last, same := -1, 0
	for try := range 10 * agrees {
		got, err := k.once(ctx, c, fmt.Sprintf("%s-%d", name, try))
		if err != nil {
			return 0, fmt.Errorf("%+v: %w", c, err)
		}
		if got != last {
			last, same = got, 0
		}
		if same++; same == agrees {
			return got, nil
		}
	}
	return 0, fmt.Errorf("%+v: the number of reviews is not the same %d times in a row", c, agrees)
}

// once makes an object, and counts the reviews of one request. A client that writes an object has
// written it before, so that the versions of managers stay the same.
func (k *kind) once(ctx context.Context, c Case, name string) (int, error) {
	version := through
	if c.Storage {
		version = storage
	}
	if c.Request != "create" {
		if err := k.managed(ctx, name, others(c.Managers)); err != nil {
			return 0, err
		}
	}
	if c.Request != "create" && c.Request != "delete" {
		send, err := k.prepare(ctx, c.Request, version, name, "first")
		if err == nil {
			err = send()
		}
		if err != nil {
			return 0, failed(c.Request, version, name, err)
		}
	}
	send, err := k.prepare(ctx, c.Request, version, name, "second")
	if err != nil {
		return 0, failed(c.Request, version, name, err)
	}
	before, err := k.hook.over(ctx, name)
	if err != nil {
		return 0, err
	}
	if err := send(); err != nil {
		return 0, failed(c.Request, version, name, err)
	}
	after, err := k.hook.over(ctx, name)
	return after - before, err
}

func failed(request, version, name string, err error) error {
	return fmt.Errorf("%s of %s through %s: %w", request, name, version, err)
}

const writer = "writer"

// prepare returns a function that sends a request, which writes a text into an object if it is a
// write. What an update has to read is read before.
func (k *kind) prepare(ctx context.Context, how, version, name, text string) (send func() error, err error) {
	objects := k.of(version)
	switch how {
	case "get":
		return func() error {
			_, err := objects.Get(ctx, name, metav1.GetOptions{})
			return err
		}, nil
	case "delete":
		return func() error { return objects.Delete(ctx, name, metav1.DeleteOptions{}) }, nil
	case "create":
		return func() error {
			_, err := objects.Create(ctx, k.object(version, name), metav1.CreateOptions{FieldManager: writer})
			return err
		}, nil
	case "patch":
		return func() error {
			_, err := objects.Patch(ctx, name, types.MergePatchType, []byte(`{"spec":{"content":"`+text+`"}}`), metav1.PatchOptions{FieldManager: writer})
			return err
		}, nil
	case "apply":
		applied := k.object(version, name)
		applied.Object["spec"] = map[string]any{"applied": text}
		return func() error {
			_, err := objects.Apply(ctx, name, applied, metav1.ApplyOptions{FieldManager: writer})
			return err
		}, nil
	}
	object, err := objects.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	if how == "update" {
		return func() error {
			_, err := objects.Update(ctx, object, metav1.UpdateOptions{FieldManager: writer})
			return err
		}, unstructured.SetNestedField(object.Object, text, "spec", "content")
	}
	return func() error {
		_, err := objects.UpdateStatus(ctx, object, metav1.UpdateOptions{FieldManager: writer})
		return err
	}, unstructured.SetNestedField(object.Object, text, "status", "content")
}
