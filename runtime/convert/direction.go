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

// ends has what directions need of a plan: the types of its version and of the hub, as shapes.
type ends struct {
	kind               schema.GroupVersionKind
	hubVersion         string // the group and version of the hub
	annotation, atRoot bool
	program            *preserve.Program
	ownSpec, ownStatus *shape.Shape
	itsSpec, itsStatus *shape.Shape // of the hub
	specSizes          *sizes
	statusSizes        *sizes
	steps              []Step
	statusStep         int
	stored             map[int]*shape.Shape
	changes            []Change
	sequences          []shapedSequence
}

// hub returns the storage version of the hub.
func (p *ends) hub() string {
	_, hub, _ := strings.Cut(p.hubVersion, "/")
	return hub
}

// newDirection returns the direction between an API version and the hub, and the storage version
// of the hub. It returns nil if the version has no plan.
func newDirection(kind schema.GroupKind, version string, up bool) (*direction, string) {
	p, ok := planOf(kind, version)
	if !ok {
		return nil, ""
	}
	of := p.ends()
	return of.direction(up), of.hub()
}

// ends returns the types of a plan as shapes.
func (p Plan) ends() *ends {
	own, its, api := shape.Of(reflect.TypeOf(p.Storage).Elem()), shape.Of(reflect.TypeOf(p.Hub).Elem()), shape.Of(reflect.TypeOf(p.API).Elem())
	out := &ends{
		kind: *p.API.OriginalGVK(), hubVersion: p.HubVersion, annotation: p.Annotation, atRoot: reflect.TypeOf(p.API).Implements(shape.RootedType),
		program: preserve.NewProgram(p.API, pointedTo(own, "spec"), pointedTo(own, "status")),
		ownSpec: objectIn(own, "spec"), ownStatus: objectIn(own, "status"), itsSpec: objectIn(its, "spec"), itsStatus: objectIn(its, "status"),
		specSizes: sizesIn(api, "spec"), statusSizes: sizesIn(api, "status"),
		steps: p.steps(), statusStep: p.StatusStep, changes: p.Changes, stored: map[int]*shape.Shape{},
	}
	for step, blank := range p.StoredTypes {
		if blank != nil {
			out.stored[step] = shape.Of(reflect.TypeOf(blank).Elem())
		}
	}
	for _, s := range p.Sequences {
		made := shapedSequence{step: s.Step, parts: s.Parts}
		for _, blank := range s.Between {
			made.between = append(made.between, shape.Of(reflect.TypeOf(blank).Elem()))
		}
		out.sequences = append(out.sequences, made)
	}
	return out
}

// direction returns the direction from the version to the hub, or back.
func (p *ends) direction(up bool) *direction {
	w := &direction{up: up, meta: shape.Of(reflect.TypeFor[metav1.ObjectMeta]()), annotation: p.annotation, atRoot: p.atRoot, program: p.program}
	w.kind = string(jsontext.AppendText(nil, p.kind.Kind))
	target := p.hubVersion
	if !up {
		target = p.kind.GroupVersion().String()
	}
	w.apiVersion = string(jsontext.AppendText(nil, target))
	m := recaster{steps: p.steps, up: up, changes: p.changes, sequences: p.sequences, stored: p.stored, made: map[recastKey]*recast{}}
	if up {
		w.spec, w.status = m.make(0, p.ownSpec, p.itsSpec), m.make(p.statusStep, p.ownStatus, p.itsStatus)
	} else {
		w.spec, w.status = m.make(0, p.itsSpec, p.ownSpec), m.make(p.statusStep, p.itsStatus, p.ownStatus)
	}
	w.spec.rememberOriginal(up)
	w.specSizes, w.statusSizes = p.specSizes, p.statusSizes
	m.finish()
	return w
}

func sizesIn(api *shape.Shape, name string) *sizes {
	if f := memberOf(api, name); f != nil {
		return sizesOf(f.Shape)
	}
	return nil
}

func pointedTo(root *shape.Shape, name string) reflect.Type { return root.Member(name).Shape.Elem.Type }

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
