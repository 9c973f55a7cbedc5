package genruntime

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// program is what is known of an API root and its own storage types.
type program struct {
	kind schema.GroupVersionKind
	// apiVersion is the group and version as manifests spell it.
	apiVersion   string
	spec, status *shape
	// original is the offset of the spec's original version, and aside is its field.
	original    uintptr
	hasOriginal bool
	aside       *field
	// replicas is the path, within spec, of what the scale subresource writes.
	replicas []string
}

var programs sync.Map // reflect.Type of the API root -> *program

// programOf returns the program of a root and the types of its storage spec and status; nil for none.
func programOf(root runtime.Hider, spec, status reflect.Type) *program {
	known, ok := programs.Load(reflect.TypeOf(root))
	if ok && known.(*program).isOf(spec, status) {
		return known.(*program)
	}
	p := newProgram(root, spec, status)
	programs.Store(reflect.TypeOf(root), p)
	return p
}

func (p *program) isOf(spec, status reflect.Type) bool {
	return (spec == nil || p.spec != nil && p.spec.of == spec) && (status == nil || p.status != nil && p.status.of == status)
}

func newProgram(root runtime.Hider, spec, status reflect.Type) *program {
	kind := *root.OriginalGVK()
	p := &program{kind: kind, apiVersion: kind.GroupVersion().String()}
	if spec != nil {
		p.spec = shapeOf(spec)
		p.original, p.hasOriginal = p.spec.original()
		p.aside = p.spec.member(originalVersion)
	}
	if status != nil {
		p.status = shapeOf(status)
	}
	if scaled, ok := root.(ScaledHider); ok {
		p.replicas = strings.Split(strings.TrimPrefix(scaled.SpecReplicasPath(), ".spec."), ".")
	}
	return p
}

// pointee returns the type that pointers point to, through as many of them as said; nil for what is no such pointer.
func pointee(pointer any, times int) reflect.Type {
	t := reflect.TypeOf(pointer)
	for range times {
		if t == nil || t.Kind() != reflect.Pointer {
			return nil
		}
		t = t.Elem()
	}
	return t
}

// original returns where a spec has its original version.
func (s *shape) original() (offset uintptr, found bool) {
	f := s.member(originalVersion)
	if f == nil || f.shape.kind != textKind {
		return 0, false
	}
	return f.offset, true
}

const originalVersion = "originalVersion"

// target returns where a pointer points to; nil for what is none.
func target(pointer any) unsafe.Pointer {
	if v := reflect.ValueOf(pointer); v.Kind() == reflect.Pointer {
		return v.UnsafePointer()
	}
	return nil
}

func (p *program) originalAt(spec unsafe.Pointer) *string {
	return (*string)(unsafe.Add(spec, p.original))
}

// isForeign reports whether the original version of a spec is another than this one.
func (p *program) isForeign(spec unsafe.Pointer) bool {
	return spec != nil && p.hasOriginal && *p.originalAt(spec) != p.kind.Version
}

// shown is the fingerprint of a spec, without what is no property of the version.
func (p *program) shown(spec unsafe.Pointer, w *printer) uint64 {
	w.aside = p.aside
	defer func() { w.aside = nil }()
	return w.object(p.spec, spec, p.replicas)
}

// declared names those who declare this version for the spec, sorted.
func (p *program) declared(root metav1.Object) []string {
	var by []string
	if p.isApplied(root.GetAnnotations()[lastApplied]) {
		by = append(by, "last-applied")
	}
	entries := root.GetManagedFields()
	for i := range entries {
		if e := &entries[i]; e.APIVersion == p.apiVersion && ownsSpec(e) {
			by = append(by, "apply:"+e.Manager)
		}
	}
	slices.Sort(by)
	return slices.Compact(by)
}

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// isApplied reports whether a manifest is of this version.
func (p *program) isApplied(manifest string) bool {
	if manifest == "" || !jsontext.IsValid([]byte(manifest)) {
		return false
	}
	c := jsontext.Cursor{Data: []byte(manifest)}
	for c.Take('{'); c.More('}'); {
		if string(c.Name()) == "apiVersion" {
			version, _ := c.Text()
			return version == p.apiVersion
		}
		c.Raw()
	}
	return false
}

// ownsSpec reports whether an entry of managedFields is of an Apply that owns some of the spec.
func ownsSpec(e *metav1.ManagedFieldsEntry) bool {
	return e.Operation == metav1.ManagedFieldsOperationApply && hasSpec(e.FieldsV1.GetRawBytes()) // nil for none
}
