package runtime

import (
	"fmt"
	"strings"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime/internal/label"
)

// GetVersionedSpec returns the spec of a resource, converted to the version that the user wrote.
// For a resource without a spec it returns an empty one. The result may share memory with the
// resource.
func GetVersionedSpec(metaObject MetaObject, scheme *k8sruntime.Scheme) (ConvertibleSpec, error) {
	resource, err := newOriginal(metaObject, scheme)
	if err != nil {
		return nil, err
	}
	maker, ok := resource.(SpecMaker)
	if !ok {
		return nil, fmt.Errorf("%T makes no spec", resource)
	}
	spec := maker.NewEmptySpec()
	source := metaObject.GetSpec()
	if source == nil {
		return spec, nil
	}
	if err := spec.ConvertSpecFrom(source); err != nil {
		return nil, fmt.Errorf("spec of %s: %w", metaObject.GetName(), err)
	}
	return spec, nil
}

// GetVersionedStatus returns the status of a resource, converted to the version that the user
// wrote. For a resource without a status it returns an empty one. The result may share memory
// with the resource.
func GetVersionedStatus(metaObject MetaObject, scheme *k8sruntime.Scheme) (ConvertibleStatus, error) {
	status, err := NewEmptyVersionedStatus(metaObject, scheme)
	if err != nil {
		return nil, err
	}
	source := metaObject.GetStatus()
	if source == nil {
		return status, nil
	}
	if err := status.ConvertStatusFrom(source); err != nil {
		return nil, fmt.Errorf("status of %s: %w", metaObject.GetName(), err)
	}
	return status, nil
}

// NewEmptyVersionedStatus returns a blank status of the version that the user wrote.
func NewEmptyVersionedStatus(metaObject MetaObject, scheme *k8sruntime.Scheme) (ConvertibleStatus, error) {
	resource, err := newOriginal(metaObject, scheme)
	if err != nil {
		return nil, err
	}
	return resource.NewEmptyStatus(), nil
}

// newOriginal returns an empty resource of the version that the user wrote, or of the version
// that replaces it; see [EffectiveVersion].
func newOriginal(metaObject MetaObject, scheme *k8sruntime.Scheme) (KubernetesResource, error) {
	original, ok := metaObject.(Original)
	if !ok {
		return nil, fmt.Errorf("%T does not know its original version", metaObject)
	}
	object, err := scheme.New(EffectiveVersion(*original.OriginalGVK(), scheme))
	if err != nil {
		return nil, fmt.Errorf("original version of %s: %w", metaObject.GetName(), err)
	}
	resource, ok := object.(KubernetesResource)
	if !ok {
		return nil, fmt.Errorf("original version of %s: %T has no convertible spec and status", metaObject.GetName(), object)
	}
	return resource, nil
}

// EffectiveVersion returns original itself if the scheme knows it. Else it returns the next later
// API version of the same group and kind that the scheme knows, or the latest. If the result
// differs from original, that version is unknown or was pruned. Controllers report that in a
// condition.
func EffectiveVersion(original schema.GroupVersionKind, scheme *k8sruntime.Scheme) schema.GroupVersionKind {
	original.Version = label.Decided(original.Version)
	if scheme.Recognizes(original) {
		return original
	}
	var kept []string
	for _, known := range scheme.VersionsForGroupKind(original.GroupKind()) {
		if isResource(known.WithKind(original.Kind), scheme) {
			kept = append(kept, known.Version)
		}
	}
	if version := label.Kept(original.Version, kept); version != "" {
		original.Version = version
	}
	return original
}

// isResource reports whether the scheme has a [KubernetesResource] for an API version.
func isResource(kind schema.GroupVersionKind, scheme *k8sruntime.Scheme) bool {
	if strings.HasSuffix(kind.Version, label.StorageSuffix) {
		return false
	}
	object, err := scheme.New(kind)
	_, ok := object.(KubernetesResource)
	return err == nil && ok
}
