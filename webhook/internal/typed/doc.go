// Package typed converts objects as Go types: it decodes them, calls the ConvertTo and
// ConvertFrom of controller-runtime, and encodes the result.
//
// It contains [Engine], an engine for any scheme of hubs and convertible types. Types that Strata
// generated convert every JSON object: values of the wrong type are preserved, failures of
// hand-written steps leave the generated result, and unreadable metadata is copied unchanged. For
// other types, a failure is an error with the path, if that is known.
package typed
