// Package typed converts objects as Go types: it decodes them, calls the ConvertTo and ConvertFrom that controller-runtime
// knows, and encodes the result.
//
// It owns [Engine], an engine over any scheme whose types are hubs and convertibles. Of types that Strata generated,
// every object converts, whatever its JSON holds: values of the wrong type are kept, hand-written steps that fail leave
// what was generated, and metadata that cannot be read is handed on as it is. Of other types, what fails is an error that
// names the place, where that is known.
package typed
