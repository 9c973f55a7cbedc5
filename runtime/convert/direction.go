package convert

import (
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/label"
	"github.com/stratakube/strata/runtime/internal/preserve"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// direction is a plan for conversions in one direction.
type direction struct {
	up bool
	// kind is the kind, and apiVersion the apiVersion of the result, both as JSON.
	kind, apiVersion string
	program          *preserve.Program
	meta             *shape.Shape
	spec, status     *recast
	// specSizes and statusSizes lead to the integers of the API types that are no int64.
	specSizes, statusSizes *sizes
	// annotation means that the API version stores its bag in an annotation. atRoot means that it has
	// the members of its spec at the root.
	annotation, atRoot bool
}

// newDirection returns the direction between an API version and the hub, and the storage version
// of the hub. It returns nil if the version has no plan.
func newDirection(kind schema.GroupKind, version string, up bool) (*direction, string) {
	p, ok := planOf(kind, version)
	if !ok {
		return nil, ""
	}
	_, hub, _ := strings.Cut(p.HubVersion, "/")
	w := &direction{up: up, meta: shape.Of(reflect.TypeFor[metav1.ObjectMeta]())}
	w.annotation, w.atRoot = p.Annotation, reflect.TypeOf(p.API).Implements(shape.RootedType)
	w.kind = string(jsontext.AppendText(nil, kind.Kind))
	target := p.HubVersion
	if !up {
		target = p.API.OriginalGVK().GroupVersion().String()
	}
	w.apiVersion = string(jsontext.AppendText(nil, target))
	own, its := shape.Of(reflect.TypeOf(p.Storage).Elem()), shape.Of(reflect.TypeOf(p.Hub).Elem())
	w.program = preserve.NewProgram(p.API, pointedTo(own, "spec"), pointedTo(own, "status"))
	m := recaster{steps: p.steps(), up: up, changes: p.Changes, sequences: p.Sequences, stored: map[int]*shape.Shape{}, made: map[recastKey]*recast{}}
	for step, blank := range p.StoredTypes {
		if blank != nil {
			m.stored[step] = shape.Of(reflect.TypeOf(blank).Elem())
		}
	}
	from, to := own, its
	if !up {
		from, to = its, own
	}
	w.spec, w.status = m.part(0, from, to, "spec"), m.part(p.StatusStep, from, to, "status")
	w.spec.rememberOriginal(up)
	api := shape.Of(reflect.TypeOf(p.API).Elem())
	w.specSizes, w.statusSizes = sizesIn(api, "spec"), sizesIn(api, "status")
	m.finish()
	return w, hub
}

func sizesIn(api *shape.Shape, name string) *sizes {
	if f := memberOf(api, name); f != nil {
		return sizesOf(f.Shape)
	}
	return nil
}

func pointedTo(root *shape.Shape, name string) reflect.Type { return root.Member(name).Shape.Elem.Type }

func (m *recaster) part(step int, from, to *shape.Shape, name string) *recast {
	return m.make(step, objectIn(from, name), objectIn(to, name))
}

// rememberOriginal treats the original version of a spec apart from other members, because API
// types do not have it.
func (r *recast) rememberOriginal(isAPI bool) {
	if r.parts != nil {
		r = r.parts[0]
	}
	if i := r.of.Index([]byte(label.OriginalVersion), 0); i >= 0 && i < len(r.members) {
		r.members[i].action, r.hidden = remembered, isAPI
	}
}
