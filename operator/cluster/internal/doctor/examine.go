package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/pack"
	"github.com/stratakube/strata/operator/cluster/internal/pages"
	"github.com/stratakube/strata/operator/cluster/internal/record"
	"github.com/stratakube/strata/operator/cluster/internal/replicas"
)

// Options are what a cluster is examined with.
type Options struct {
	Cluster  dynamic.Interface
	Replicas replicas.Options
	// Package is what should be installed, and Dir its folder. Without one, nothing is compared.
	Package *pack.Package
	Dir     string
	// Selected are the flags that select the cluster, with a space before, for commands.
	Selected string
	Now      time.Time
}

// examination collects findings.
type examination struct {
	Options
	out      Report
	webhooks map[crd.Service]bool // that were examined
	migrator string               // the flag --as of a command that writes through the hub
}

// page is the number of objects in one request.
const page = 500

// Examine returns what is wrong in a cluster.
func Examine(ctx context.Context, o Options) (*Report, error) {
	e := &examination{Options: o, out: Report{Findings: []Finding{}}, webhooks: map[crd.Service]bool{}}
	installed, err := e.installed(ctx)
	if err != nil {
		return nil, err
	}
	e.policies(ctx)
	if o.Package != nil {
		for _, want := range o.Package.CRDs {
			e.compare(find(installed, want.Name()), want)
		}
	}
	for _, d := range installed {
		e.stored(d)
		e.webhook(ctx, d)
		e.waiting(ctx, d)
	}
	e.upgrades(ctx)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	rank := []string{failure, warning, note}
	slices.SortStableFunc(e.out.Findings, func(a, b Finding) int { return slices.Index(rank, a.Severity) - slices.Index(rank, b.Severity) })
	return &e.out, nil
}

func (e *examination) add(f Finding) {
	if !slices.Contains(e.out.Findings, f) {
		e.out.Findings = append(e.out.Findings, f)
	}
}

// unread notes what could not be read.
func (e *examination) unread(subject string, err error) {
	e.add(Finding{ID: "not-checked", Severity: note, Subject: subject, Explanation: err.Error(), Hint: "the page of strata doctor has the role that it needs"})
}

// installed returns the CRDs that Strata has generated, and those of the package.
func (e *examination) installed(ctx context.Context) ([]*crd.CRD, error) {
	var out []*crd.CRD
	err := pages.Each(ctx, metav1.ListOptions{Limit: page}, e.Cluster.Resource(crd.Resource).List, func(list *unstructured.UnstructuredList, _ metav1.ListOptions) error {
		for i := range list.Items {
			text, err := list.Items[i].MarshalJSON()
			if err != nil {
				return err
			}
			d, err := crd.Parse(text)
			if err == nil && (d.Strata || e.Package != nil && find(e.Package.CRDs, d.Name()) != nil) {
				out = append(out, d)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list CRDs: %w", err)
	}
	return out, nil
}

func find(all []*crd.CRD, name string) *crd.CRD {
	i := slices.IndexFunc(all, func(d *crd.CRD) bool { return d.Name() == name })
	if i < 0 {
		return nil
	}
	return all[i]
}

// stored finds versions in which objects may be stored besides the storage version.
func (e *examination) stored(d *crd.CRD) {
	others := slices.DeleteFunc(slices.Clone(d.Stored), func(v string) bool { return v == d.Hub() })
	if len(others) == 0 {
		return
	}
	served := d.Others()
	unserved := slices.DeleteFunc(slices.Clone(others), func(v string) bool { return slices.Contains(served, v) })
	explanation := "objects may still be stored in " + strings.Join(others, ", ")
	if len(unserved) > 0 {
		explanation += "; the CRD does not serve " + strings.Join(unserved, ", ")
	}
	e.add(Finding{
		ID: "stored-versions", Severity: warning, Subject: d.Name(), Explanation: explanation,
		Command: "strata cluster migrate " + d.Name() + " --shorten" + e.histories(d) + e.migrator + e.Selected,
		Hint:    "do not run it while an upgrade is in progress: its stage prune shortens the list",
	})
}

// histories returns the flag with the property histories of the package, which a kind of Strata
// needs to translate the owners of fields.
func (e *examination) histories(d *crd.CRD) string {
	folder := filepath.Join(e.Dir, "histories")
	if info, err := os.Stat(folder); !d.Strata || e.Dir == "" || err != nil || !info.IsDir() {
		return ""
	}
	return " --histories " + Quoted(folder)
}

// The reasons for which the operator waits.
const (
	upgradePending = "UpgradePending"
	hubUnknown     = "HubUnknown"
)

// waiting finds objects of which the operator waits for the cluster to store their hub. It reads
// the first page of objects: the operator waits for all of a kind.
func (e *examination) waiting(ctx context.Context, d *crd.CRD) {
	list, err := e.Cluster.Resource(d.Resource(d.Hub())).List(ctx, metav1.ListOptions{Limit: page})
	if err != nil {
		e.unread(d.Name(), err)
		return
	}
	for i := range list.Items {
		switch reasonOf(&list.Items[i]) {
		case upgradePending:
			e.add(Finding{
				ID: "operator-waits", Severity: warning, Subject: d.Name(), Explanation: "the operator waits: it knows a later hub than " + d.Hub() + ", which the cluster stores",
				Command: "strata cluster upgrade status" + e.Selected, Hint: "the operator goes on once the upgrade to its release has changed the CRD",
			})
			return
		case hubUnknown:
			e.add(Finding{
				ID: "operator-older", Severity: failure, Subject: d.Name(), Explanation: "the operator does not know " + d.Hub() + ", which the cluster stores",
				Command: e.applyAll(), Hint: "install the operator of the release that stores this version",
			})
			return
		}
	}
}

// reasonOf returns the reason of the condition Ready.
func reasonOf(o *unstructured.Unstructured) string {
	conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, c := range conditions {
		if of, isObject := c.(map[string]any); isObject && of["type"] == "Ready" {
			reason, _ := of["reason"].(string)
			return reason
		}
	}
	return ""
}

// upgrades finds upgrades that have not reached their goal.
func (e *examination) upgrades(ctx context.Context) {
	all, err := record.Store{Client: e.Cluster}.List(ctx)
	if errors.Is(err, record.ErrNone) || apierrors.IsNotFound(err) {
		return
	}
	if err != nil {
		e.unread("storageupgrades", err)
		return
	}
	for _, u := range all {
		f := Finding{Severity: warning, Subject: "storageupgrade " + u.Name}
		switch {
		case meta.IsStatusConditionTrue(u.Status.Conditions, record.Done):
			continue
		case u.Spec.Paused:
			f.ID, f.Explanation, f.Command = "upgrade-paused", "the upgrade is paused", "strata cluster upgrade resume "+u.Name+e.Selected
		default:
			f.ID, f.Explanation = "upgrade-unfinished", fmt.Sprintf("the upgrade has not reached its goal, %s: it is in stage %q", u.Spec.Goal, u.Status.Stage)
			f.Command, f.Hint = "strata cluster upgrade status "+u.Name+e.Selected, "if no process works on it, run the command that began it again: it continues"
		}
		e.add(f)
	}
}
