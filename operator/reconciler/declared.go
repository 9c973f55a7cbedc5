package reconciler

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/operator/plugin/member"
	"github.com/stratakube/strata/operator/provider"
	"github.com/stratakube/strata/runtime"
)

// declaredAnnotation is an annotation that only objects in the cache have: the version in which the
// object was last declared, and how.
const declaredAnnotation = "strata.dev/declared"

// The ways to declare an object.
const (
	byLastApplied = "last-applied"
	byServer      = "server-side"
)

// Slim removes from an object in the cache the metadata that the operator does not read. It
// stores the version of the last declaration in declaredAnnotation.
func Slim(object *unstructured.Unstructured) {
	version, by := declared(object)
	object.SetManagedFields(nil)
	unstructured.RemoveNestedField(object.Object, "metadata", "annotations", corev1.LastAppliedConfigAnnotation)
	if version == "" {
		return
	}
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[declaredAnnotation] = version + " " + by
	object.SetAnnotations(annotations)
}

// declared returns the version in which an object was last declared, and whether by kubectl apply
// or by server-side apply. Both are empty if it never was.
func declared(object *unstructured.Unstructured) (version, by string) {
	if version, by, has := strings.Cut(object.GetAnnotations()[declaredAnnotation], " "); has {
		return version, by
	}
	var last, at time.Time
	group := object.GroupVersionKind().Group
	for _, entry := range object.GetManagedFields() {
		gv, err := schema.ParseGroupVersion(entry.APIVersion)
		if err != nil || gv.Group != group || entry.FieldsV1 == nil || !bytes.Contains(entry.FieldsV1.GetRawBytes(), []byte(`"f:spec"`)) {
			continue
		}
		var when time.Time
		if entry.Time != nil {
			when = entry.Time.Time
		}
		switch {
		case entry.Operation == metav1.ManagedFieldsOperationApply && !when.Before(at):
			version, by, at = gv.Version, byServer, when
		case entry.Operation == metav1.ManagedFieldsOperationUpdate && when.After(last):
			last = when
		}
	}
	var applied metav1.TypeMeta
	text := object.GetAnnotations()[corev1.LastAppliedConfigAnnotation]
	if text == "" || json.Unmarshal([]byte(text), &applied) != nil {
		return version, by
	}
	if gv, err := schema.ParseGroupVersion(applied.APIVersion); err == nil && gv.Group == group && !at.After(last) {
		return gv.Version, byLastApplied
	}
	return version, by
}

// declares adds a condition if the object was declared in a version that cannot express all its
// values. The operator sends it in the version that can. Otherwise the external API would remove
// values that the declared version does not have.
func (p *pass) declares(hub runtime.MetaObject) {
	version, by := declared(p.object)
	if version == "" || version == p.api.Version || p.kind.Versions[version] == "" {
		return
	}
	lacks := p.lacks(version)
	if len(lacks) == 0 {
		return
	}
	lost := p.lostMembers(hub, p.api.GroupKind().WithVersion(version))
	how := "remove that and apply the object again"
	if len(lost) > 0 {
		lacks, how = named(lost), how+": "+p.removal(lost, by)
	}
	p.limits = append(p.limits, metav1.Condition{
		Type: DeclaredVersionUsed, Status: metav1.ConditionFalse, Reason: CannotExpress,
		Message: fmt.Sprintf("the object was declared in %s, which cannot express %s; it is sent in %s, so that the resource loses nothing; to have it sent in %s, %s",
			version, provider.Bounded(strings.Join(lacks, ", ")), p.api.Version, version, how),
	})
}

// lacks returns the paths in the spec that a version cannot express. It uses the rule that also
// determines the original version.
func (p *pass) lacks(version string) []string {
	as := *p
	as.object = p.object.DeepCopy()
	if unstructured.SetNestedField(as.object.Object, version, "spec", member.OriginalVersion) != nil {
		return nil
	}
	hub, err := as.hub()
	if err != nil {
		return nil
	}
	if limited, may := hub.(runtime.Limited); may {
		return specPaths(limited.Unexpressed())
	}
	return nil
}

// lostMembers returns the members of the spec that a version cannot express, as pointers into the
// spec in the version that is sent. It returns none if a conversion fails.
func (p *pass) lostMembers(hub runtime.MetaObject, through schema.GroupVersionKind) []pointer {
	before, err := p.tree(hub.GetSpec())
	if err != nil {
		return nil
	}
	left, err := p.leftBy(hub.GetSpec(), through)
	if err != nil {
		return nil
	}
	after, err := p.tree(left)
	if err != nil {
		return nil
	}
	return lost(before, after, pointer{})
}

// leftBy returns the hub's spec after a conversion to a version and back: only the values that
// the version can express.
func (p *pass) leftBy(hub runtime.ConvertibleSpec, through schema.GroupVersionKind) (runtime.ConvertibleSpec, error) {
	visible, err := p.as(through, hub)
	if err != nil {
		return nil, err
	}
	back, err := p.spec(p.kind.Hub)
	if err != nil {
		return nil, err
	}
	return back, visible.ConvertSpecTo(back)
}

// as converts the spec of a hub to a version.
func (p *pass) as(version schema.GroupVersionKind, hub runtime.ConvertibleSpec) (runtime.ConvertibleSpec, error) {
	spec, err := p.spec(version)
	if err != nil {
		return nil, err
	}
	return spec, spec.ConvertSpecFrom(hub)
}

// spec returns an empty spec of a version.
func (p *pass) spec(of schema.GroupVersionKind) (runtime.ConvertibleSpec, error) {
	object, err := p.Scheme.New(of)
	if err != nil {
		return nil, err
	}
	maker, may := object.(runtime.SpecMaker)
	if !may {
		return nil, fmt.Errorf("%T makes no spec", object)
	}
	return maker.NewEmptySpec(), nil
}

// tree returns the JSON of the spec of a hub in the version that is sent.
func (p *pass) tree(hub runtime.ConvertibleSpec) (tree any, err error) {
	spec, err := p.as(p.api, hub)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(data, &tree)
	return tree, err
}

// pointer is the path of a member or an element.
type pointer []string

func (p pointer) to(step string) pointer { return append(slices.Clone(p), step) }

// path returns a pointer below the spec in the form of a JSON patch.
func (p pointer) path() string {
	out := "/spec"
	for _, step := range p {
		out += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(step)
	}
	return out
}

// lost returns the outermost paths at which before has a value that after does not have.
func lost(before, after any, at pointer) []pointer {
	if reflect.DeepEqual(before, after) {
		return nil
	}
	var all []pointer
	switch b := before.(type) {
	case map[string]any:
		a, same := after.(map[string]any)
		if !same {
			return []pointer{at}
		}
		for _, name := range slices.Sorted(maps.Keys(b)) {
			if value, has := a[name]; has {
				all = append(all, lost(b[name], value, at.to(name))...)
			} else {
				all = append(all, at.to(name))
			}
		}
	case []any:
		a, same := after.([]any)
		if !same || len(a) != len(b) {
			return []pointer{at}
		}
		for i := range b {
			all = append(all, lost(b[i], a[i], at.to(strconv.Itoa(i)))...)
		}
	default:
		return []pointer{at}
	}
	return all
}

func named(all []pointer) []string {
	var names []string
	for _, one := range all {
		names = append(names, strings.Join(one, "."))
	}
	return names
}

// maxRemovals is the maximum number of paths that one command removes.
const maxRemovals = 50

// operation is an operation of a JSON patch.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// removal returns the command that removes members in the version that has them. It also makes
// the next declaration of the object count as a new one.
func (p *pass) removal(all []pointer, by string) string {
	all = slices.Clone(all[:min(len(all), maxRemovals)])
	slices.Reverse(all) // so that indexes remain valid
	var operations []operation
	for _, one := range all {
		operations = append(operations, operation{Op: "remove", Path: one.path()})
	}
	if by == byLastApplied {
		operations = append(operations, operation{Op: "remove", Path: "/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration"})
	} else {
		operations = append(operations, operation{Op: "replace", Path: "/metadata/managedFields", Value: []any{map[string]any{}}})
	}
	data, err := json.Marshal(operations)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("kubectl patch %s.%s.%s %s --namespace=%s --type=json --patch='%s'",
		strings.ToLower(p.api.Kind), p.api.Version, p.api.Group, p.key.Name, cmp.Or(p.key.Namespace, metav1.NamespaceDefault), strings.ReplaceAll(string(data), "'", `'\''`))
}
