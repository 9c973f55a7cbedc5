// Package runtime is what programs import that read and write generated resources: controllers,
// webhooks and tools. It compiles no conversion engine.
//
// A resource is stored in the version of its hub, and its user wrote it in another, its original
// version:
//
//   - [GetVersionedSpec], [GetVersionedStatus] and [NewEmptyVersionedStatus] convert the spec or
//     the status of a resource, alone, to its original version. [EffectiveVersion] names the
//     version that stands for one that is gone.
//   - [KubernetesResource] and [MetaObject] are resources whose spec and status can be taken apart;
//     [ConvertibleSpec] and [ConvertibleStatus] are their parts. Any other type fails with
//     [ErrNotConvertible].
//   - [Original], [Limited], [External], [ExternalNamer] and [Secretive] are what resources report
//     about themselves, and [SpecMaker] makes blank specs.
//   - [Hider] is a resource of an API version that carries the values that its version cannot
//     represent, in status.propertyBag or, without a status subresource, in the annotation
//     [BagAnnotation].
//
// Types have members of these types:
//
//   - [JSON] is a value without a schema; [PropertyBag] has values of other versions by their keys.
//   - [Owner], [SecretRef], [ConfigMapRef], [Outputs] and [Output] are members of specs.
//   - [VersionedStatus] is embedded by statuses that their author writes in Go.
//
// [SetObserver] sets the [Observer] of a process. Conversions, and their callers through [Report],
// report an [Event] to it; a [Counter] also counts conversions. A conversion whose hand-written
// step failed fills its destination and returns an [AugmentationError], which [IsAugmentation]
// finds.
//
// [AddToScheme] registers generated packages with a scheme.
//
// The package requires only k8s.io/apimachinery. Generated code calls runtime/genruntime.
package runtime
