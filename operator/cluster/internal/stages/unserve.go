package stages

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/record"
)

// unserve stops serving the versions that go, so that no client writes them any more. The stages
// after it then find what clients wrote in these versions.
var unserve = Stage{Name: "Unserve", Start: hasTargets, Complete: unserveAll, Verify: isUnserved, Undo: never}

// serveAgain serves the versions of a CRD that Unserve has stopped serving.
func serveAgain(d *unstructured.Unstructured) {
	annotations := d.GetAnnotations()
	list, has := annotations[unservedAnnotation]
	if !has {
		return
	}
	delete(annotations, unservedAnnotation)
	d.SetAnnotations(annotations)
	versions := versionsOf(d)
	for _, v := range versions {
		if name, _ := v["name"].(string); slices.Contains(strings.Split(list, ","), name) {
			v["served"] = true
		}
	}
	setVersions(d, versions)
}

// unserves records in a CRD which versions another one of the same kind serves, and it does not.
func unserves(want, installed *unstructured.Unstructured) {
	var list []string
	now := versionsOf(want)
	for _, v := range versionsOf(installed) {
		name, _ := v["name"].(string)
		stays := slices.ContainsFunc(now, func(is map[string]any) bool { return is["name"] == name && is["served"] == true })
		if v["served"] == true && !stays {
			list = append(list, name)
		}
	}
	annotations := want.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[unservedAnnotation] = strings.Join(list, ",")
	want.SetAnnotations(annotations)
}

func unserveAll(ctx context.Context, r *Run) error {
	return r.each(func(k *record.Kind) error {
		return r.update(ctx, k, func(ctx context.Context, k *record.Kind) (*crd.CRD, *unstructured.Unstructured, error) {
			return r.last(ctx, k, true)
		})
	})
}

// isUnserved checks that no version that goes is served.
func isUnserved(ctx context.Context, r *Run) error {
	if err := hasTargets(ctx, r); err != nil {
		return err
	}
	return r.each(func(k *record.Kind) error {
		d, err := crd.Get(ctx, r.CRDs, k.CRD)
		if err != nil {
			return err
		}
		for _, v := range d.Versions {
			if v.Served && slices.Contains(r.upgrade.Spec.Going(k), v.Name) {
				return fmt.Errorf("it serves %s: another program has changed it", v.Name)
			}
		}
		return nil
	})
}
