package record

import (
	"context"
	_ "embed" // of the CRD
	"encoding/json"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
)

// Manager is the name of the field manager of all writes but those of objects.
const Manager = "strata-cluster-upgrade"

// Manifest is the CRD of StorageUpgrade, in YAML.
//
//go:embed storageupgrades.yaml
var Manifest []byte

const kind = "StorageUpgrade"

var (
	resource = schema.GroupVersionResource{Group: "cluster.strata.dev", Version: "v1alpha1", Resource: "storageupgrades"}
	events   = schema.GroupVersionResource{Version: "v1", Resource: "events"}
)

const (
	conflicts = 10 // with other writers
	served    = 60 // tries until the kind is served
	pause     = 500 * time.Millisecond
)

// ErrNone is the error of commands about an upgrade in a cluster that has none.
var ErrNone = errors.New("the cluster has no upgrade: save a plan with strata cluster upgrade plan --save FILE, and begin with strata cluster upgrade apply FILE")

// Store reads and writes upgrades.
type Store struct{ Client dynamic.Interface }

// Install applies the CRD of StorageUpgrade, and waits until the kind is served.
func (s Store) Install(ctx context.Context) error {
	text, err := yaml.ToJSON(Manifest)
	if err != nil {
		return fmt.Errorf("install StorageUpgrade: %w", err)
	}
	d := &unstructured.Unstructured{}
	if err := d.UnmarshalJSON(text); err != nil {
		return fmt.Errorf("install StorageUpgrade: %w", err)
	}
	if _, err := s.Client.Resource(crd.Resource).Apply(ctx, d.GetName(), d, metav1.ApplyOptions{FieldManager: Manager, Force: true}); err != nil {
		return fmt.Errorf("install StorageUpgrade: %w\nprint its CRD with strata cluster upgrade crd, and apply it as a user who may", err)
	}
	for range served {
		if _, err = s.List(ctx); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
	}
	return fmt.Errorf("install StorageUpgrade: %w", err)
}

// List returns all upgrades.
func (s Store) List(ctx context.Context) ([]*Upgrade, error) {
	list, err := s.Client.Resource(resource).List(ctx, metav1.ListOptions{})
	if apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("list upgrades: %w", ErrNone)
	}
	if err != nil {
		return nil, fmt.Errorf("list upgrades: %w", err)
	}
	var out []*Upgrade
	for i := range list.Items {
		u, err := read(&list.Items[i])
		if err != nil {
			return nil, err
		}
		out = append(out, u)
	}
	return out, nil
}

// Get reads an upgrade. Of no name, it reads the only one.
func (s Store) Get(ctx context.Context, name string) (*Upgrade, error) {
	if name != "" {
		o, err := s.Client.Resource(resource).Get(ctx, name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err) && apierrors.IsUnexpectedServerError(err): // no such resource
			return nil, fmt.Errorf("read upgrade %s: %w", name, ErrNone)
		case err != nil:
			return nil, fmt.Errorf("read upgrade: %w", err)
		}
		return read(o)
	}
	all, err := s.List(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	case len(all) == 0:
		return nil, ErrNone
	case len(all) > 1:
		return nil, fmt.Errorf("the cluster has %d upgrades: name one, of those that kubectl get storageupgrades lists", len(all))
	}
	return all[0], nil
}

// Create creates an upgrade, or returns that of the same name.
func (s Store) Create(ctx context.Context, u *Upgrade) (*Upgrade, error) {
	u.TypeMeta = metav1.TypeMeta{APIVersion: resource.GroupVersion().String(), Kind: kind}
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(u)
	if err != nil {
		return nil, fmt.Errorf("create upgrade: %w", err)
	}
	o, err := s.Client.Resource(resource).Create(ctx, &unstructured.Unstructured{Object: object}, metav1.CreateOptions{FieldManager: Manager})
	if apierrors.IsAlreadyExists(err) {
		return s.Get(ctx, u.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("create upgrade: %w", err)
	}
	return read(o)
}

// Set changes members of the spec of an upgrade.
func (s Store) Set(ctx context.Context, name string, members map[string]any) (*Upgrade, error) {
	text, err := json.Marshal(map[string]any{"spec": members})
	if err != nil {
		return nil, fmt.Errorf("change upgrade: %w", err)
	}
	o, err := s.Client.Resource(resource).Patch(ctx, name, types.MergePatchType, text, metav1.PatchOptions{FieldManager: Manager})
	if err != nil {
		return nil, fmt.Errorf("change upgrade: %w", err)
	}
	return read(o)
}

// ErrTaken ends a process if another one has begun to work on its upgrade.
var ErrTaken = errors.New("another process works on the upgrade")

// Take writes the status of an upgrade, whichever process has worked on it before.
func (s Store) Take(ctx context.Context, name string, status *Status) error {
	return s.save(ctx, name, status, func(string) bool { return true })
}

// Save writes the status of an upgrade. It fails with ErrTaken unless the holder is still that of
// the status.
func (s Store) Save(ctx context.Context, name string, status *Status) error {
	return s.save(ctx, name, status, func(holder string) bool { return holder == status.Holder })
}

func (s Store) save(ctx context.Context, name string, status *Status, may func(holder string) bool) error {
	value, err := runtime.DefaultUnstructuredConverter.ToUnstructured(status)
	if err != nil {
		return fmt.Errorf("write status of upgrade: %w", err)
	}
	for range conflicts {
		o, err := s.Client.Resource(resource).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return fmt.Errorf("write status of upgrade: %w", err)
		}
		if holder, _, _ := unstructured.NestedString(o.Object, "status", "holder"); !may(holder) {
			return ErrTaken
		}
		o.Object["status"] = value
		switch _, err = s.Client.Resource(resource).UpdateStatus(ctx, o, metav1.UpdateOptions{FieldManager: Manager}); {
		case err == nil:
			return nil
		case !apierrors.IsConflict(err):
			return fmt.Errorf("write status of upgrade: %w", err)
		}
	}
	return errors.New("write status of upgrade: others write it all the time")
}

// Event records an event about an upgrade. An event that is not allowed is left out.
func (s Store) Event(ctx context.Context, u *Upgrade, level, reason, message string) {
	now := metav1.Now().Format(time.RFC3339)
	_, _ = s.Client.Resource(events).Namespace("default").Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Event", "metadata": map[string]any{"generateName": u.Name + "."},
		"involvedObject": map[string]any{"apiVersion": resource.GroupVersion().String(), "kind": kind, "name": u.Name, "uid": string(u.UID)},
		"type":           level, "reason": reason, "message": message, "source": map[string]any{"component": Manager},
		"firstTimestamp": now, "lastTimestamp": now, "count": int64(1),
	}}, metav1.CreateOptions{FieldManager: Manager})
}

func read(o *unstructured.Unstructured) (*Upgrade, error) {
	u := &Upgrade{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, u); err != nil {
		return nil, fmt.Errorf("read upgrade %s: %w", o.GetName(), err)
	}
	return u, nil
}
