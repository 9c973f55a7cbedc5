package preserve

import (
	"reflect"
	"strings"
	"sync"
	"unsafe"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/label"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// Program describes an API root and its own storage types.
type Program struct {
	Kind schema.GroupVersionKind
	// apiVersion is the group and version, as in manifests.
	apiVersion   string
	Spec, Status *shape.Shape
	// original is the offset of the spec's original version, and originalField is its field.
	original      uintptr
	HasOriginal   bool
	originalField *shape.Field
	// Replicas is the path, within spec, of the member that the scale subresource writes.
	Replicas []string
}

var programs sync.Map // reflect.Type of the API root -> *Program

// ProgramOf returns the program for a root and the types of its storage spec and status, which
// may be nil. It stores programs by the type of the root.
func ProgramOf(root runtime.Hider, spec, status reflect.Type) *Program {
	known, ok := programs.Load(reflect.TypeOf(root))
	if ok && known.(*Program).isOf(spec, status) {
		return known.(*Program)
	}
	p := NewProgram(root, spec, status)
	programs.Store(reflect.TypeOf(root), p)
	return p
}

func (p *Program) isOf(spec, status reflect.Type) bool {
	return (spec == nil || p.Spec != nil && p.Spec.Type == spec) && (status == nil || p.Status != nil && p.Status.Type == status)
}

// NewProgram returns a new program, which ProgramOf does not store. The types may be nil.
func NewProgram(root runtime.Hider, spec, status reflect.Type) *Program {
	shapes, replicas := [2]*shape.Shape{}, ""
	for i, t := range []reflect.Type{spec, status} {
		if t != nil {
			shapes[i] = shape.Of(t)
		}
	}
	if scaled, ok := root.(ScaledHider); ok {
		replicas = scaled.SpecReplicasPath()
	}
	return ProgramFor(*root.OriginalGVK(), shapes[0], shapes[1], replicas)
}

// ProgramFor returns a new program for a kind and the shapes of its storage spec and status, which
// may be nil. Replicas is the CRD's specReplicasPath; empty for none.
func ProgramFor(kind schema.GroupVersionKind, spec, status *shape.Shape, replicas string) *Program {
	p := &Program{Kind: kind, apiVersion: kind.GroupVersion().String(), Spec: spec, Status: status}
	if spec != nil {
		p.original, p.HasOriginal = originalOf(spec)
		p.originalField = spec.Member(label.OriginalVersion)
	}
	if replicas != "" {
		p.Replicas = strings.Split(strings.TrimPrefix(replicas, ".spec."), ".")
	}
	return p
}

// originalOf returns the offset of the original version in a spec.
func originalOf(s *shape.Shape) (offset uintptr, found bool) {
	f := s.Member(label.OriginalVersion)
	if f == nil || f.Shape.Kind != shape.Text {
		return 0, false
	}
	return f.Offset, true
}

func (p *Program) originalAt(spec unsafe.Pointer) *string {
	return (*string)(unsafe.Add(spec, p.original))
}

// IsForeign reports whether the original version of a spec differs from this version.
func (p *Program) IsForeign(spec unsafe.Pointer) bool {
	return spec != nil && p.HasOriginal && *p.originalAt(spec) != p.Kind.Version
}

// ScaledHider is a Hider that the scale subresource writes to.
type ScaledHider interface {
	runtime.Hider
	// SpecReplicasPath is the CRD's specReplicasPath, as in .spec.replicas. It is the same for all
	// objects of a type.
	SpecReplicasPath() string
}
