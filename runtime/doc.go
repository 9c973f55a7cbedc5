// Package runtime is imported by programs that read and write generated resources: controllers,
// webhooks and tools. It does not depend on a conversion engine.
//
// A resource is stored in the version of its hub. The version in which the user wrote it is its
// original version:
//
//   - [GetVersionedSpec], [GetVersionedStatus] and [NewEmptyVersionedStatus] convert the spec or
//     the status of a resource, alone, to its original version. [EffectiveVersion] returns the
//     version that replaces one that was removed.
//   - [KubernetesResource] and [MetaObject] give access to the spec and the status of a resource;
//     [ConvertibleSpec] and [ConvertibleStatus] convert alone. A conversion to a type of another
//     kind fails with [ErrNotConvertible].
//   - [Original], [Limited], [External], [ExternalNamer] and [Secretive] describe properties of a
//     resource, and [SpecMaker] makes blank specs.
//   - [Hider] is a resource of an API version that stores hidden values. They are in
//     status.propertyBag or, without a status subresource, in the annotation [BagAnnotation].
//
// Generated types have members of these types:
//
//   - [JSON] is a value without a schema; [PropertyBag] stores values of other versions by key.
//   - [Owner], [SecretRef], [ConfigMapRef], [Outputs] and [Output] are members of specs.
//   - [VersionedStatus] is embedded in statuses that the author writes in Go.
//
// [SetObserver] sets the [Observer] of a process. Conversions, and their callers through
// [Report], report an [Event] to it; a [Counter] also counts conversions. If a hand-written step
// fails, the conversion still fills its destination, and returns an [AugmentationError].
// [IsAugmentation] recognizes that error.
//
// [AddToScheme] registers generated packages with a scheme.
//
// The only dependency of the package is k8s.io/apimachinery. Generated code calls
// runtime/genruntime.
package runtime
