package usage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/pages"
)

// Question asks for the properties of one kind.
type Question struct {
	Group string `json:"group"`
	Kind  string `json:"kind"`
	// Versions are those through which the objects may be read: the first that is served counts.
	Versions []Version `json:"versions"`
}

// Version has the paths of properties in one version, such as spec.members[].name. A star is any
// member of a map. All versions of a question have the same number of paths.
type Version struct {
	Name  string   `json:"name"`
	Paths []string `json:"paths"`
}

// Answer has the numbers of objects.
type Answer struct {
	// Version is the version through which the objects were read; empty if the cluster has no such
	// kind, or serves none of the versions.
	Version string `json:"version,omitzero"`
	Objects int    `json:"objects"`
	// Uses are the numbers of objects that have a value at a path, by the order of the paths.
	Uses []int `json:"uses"`
}

// The largest sizes of questions.
const (
	maxBytes = 64 << 20
	maxPaths = 100_000
)

// Read reads questions as a JSON list.
func Read(in io.Reader) ([]Question, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read questions: %w", err)
	case len(text) > maxBytes:
		return nil, fmt.Errorf("questions are larger than %d bytes", maxBytes)
	}
	var all []Question
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("read questions: %w", err)
	}
	for _, q := range all {
		for _, v := range q.Versions {
			if len(v.Paths) != len(q.Versions[0].Paths) || len(v.Paths) > maxPaths {
				return nil, fmt.Errorf("%s/%s: versions of a question have the same number of paths, at most %d", q.Group, q.Kind, maxPaths)
			}
		}
	}
	return all, nil
}

const page = 500 // objects in one request

// Count answers questions in their order.
func Count(ctx context.Context, c dynamic.Interface, definitions []*crd.CRD, questions []Question) ([]Answer, error) {
	out := []Answer{}
	for _, q := range questions {
		answer, err := count(ctx, c, find(definitions, q), q)
		if err != nil {
			return nil, err
		}
		out = append(out, answer)
	}
	return out, nil
}

func find(definitions []*crd.CRD, q Question) *crd.CRD {
	for _, d := range definitions {
		if d.Group == q.Group && strings.EqualFold(d.Kind, q.Kind) {
			return d
		}
	}
	return nil
}

func count(ctx context.Context, c dynamic.Interface, d *crd.CRD, q Question) (Answer, error) {
	at := served(d, q)
	if at == nil {
		return Answer{Uses: []int{}}, nil
	}
	out := Answer{Version: at.Name, Uses: make([]int, len(at.Paths))}
	resource := c.Resource(schema.GroupVersionResource{Group: d.Group, Version: at.Name, Resource: d.Plural})
	err := pages.Each(ctx, metav1.ListOptions{Limit: page}, resource.List, func(list *unstructured.UnstructuredList, _ metav1.ListOptions) error {
		for i := range list.Items {
			out.Objects++
			for p, path := range at.Paths {
				if Has(list.Items[i].Object, path) {
					out.Uses[p]++
				}
			}
		}
		return ctx.Err()
	})
	if apierrors.IsForbidden(err) {
		err = errors.Join(err, fmt.Errorf("counting needs the right to list %s", d.Name()))
	}
	if err != nil {
		return Answer{}, fmt.Errorf("list %s: %w", d.Name(), err)
	}
	return out, nil
}

// served returns the first version of a question that a CRD serves to clients; nil if there is
// none.
func served(d *crd.CRD, q Question) *Version {
	if d == nil {
		return nil
	}
	readable := map[string]bool{}
	for _, v := range d.Versions {
		readable[v.Name] = v.Served
	}
	for i := range q.Versions {
		if readable[q.Versions[i].Name] {
			return &q.Versions[i]
		}
	}
	return nil
}

// Has reports whether a value has another value than null at a path. Names may have dots: each
// member that is a beginning of the path is tried.
func Has(value any, path string) bool {
	if path == "" {
		return value != nil
	}
	if rest, is := strings.CutPrefix(path, "[]"); is {
		list, _ := value.([]any)
		for _, element := range list {
			if Has(element, strings.TrimPrefix(rest, ".")) {
				return true
			}
		}
		return false
	}
	object, _ := value.(map[string]any)
	for name, member := range object {
		if rest, is := after(path, name); is && Has(member, rest) {
			return true
		}
		if rest, is := after(path, "*"); is && Has(member, rest) {
			return true
		}
	}
	return false
}

// after returns what follows a name at the beginning of a path.
func after(path, name string) (rest string, is bool) {
	rest, is = strings.CutPrefix(path, name)
	switch {
	case !is:
		return "", false
	case rest == "" || strings.HasPrefix(rest, "[]"):
		return rest, true
	}
	return strings.CutPrefix(rest, ".")
}
