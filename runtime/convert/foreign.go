package convert

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/aso"
)

// Foreign is a version in which Azure Service Operator has stored objects of a kind. Its objects
// resemble those of an API version, but their property bags have another format. Generated code
// registers one for each API version of a group with storedBy: aso.
type Foreign struct {
	// API is a blank object of the API version.
	API runtime.Hider
	// Version is the version in which the objects are stored, such as v1api20230101storage.
	Version string
}

var foreigns struct {
	sync.RWMutex
	known map[schema.GroupKind][]Foreign
}

// RegisterForeign registers versions for [ForeignsOf]. Registering the same version again changes
// nothing. It is an error to register another type for a known version; then RegisterForeign
// registers none.
func RegisterForeign(all ...Foreign) error {
	foreigns.Lock()
	defer foreigns.Unlock()
	for _, f := range all {
		for _, known := range foreigns.known[f.kind()] {
			if known.Version == f.Version && !sameType(known.API, f.API) {
				return fmt.Errorf("register %s of %s: another type is registered", f.Version, f.kind())
			}
		}
	}
	for _, f := range all {
		kind := f.kind()
		if foreigns.known == nil {
			foreigns.known = map[schema.GroupKind][]Foreign{}
		}
		if !slices.ContainsFunc(foreigns.known[kind], func(known Foreign) bool { return known.Version == f.Version }) {
			foreigns.known[kind] = append(foreigns.known[kind], f)
		}
	}
	return nil
}

func (f Foreign) kind() schema.GroupKind { return f.API.OriginalGVK().GroupKind() }

// ForeignsOf returns a reader for each registered version of a kind, by version. Hub is the
// version of the hub.
func ForeignsOf(kind schema.GroupKind, hub string) map[string]*ForeignReader {
	foreigns.RLock()
	defer foreigns.RUnlock()
	all := foreigns.known[kind]
	types := map[string]reflect.Type{}
	for _, f := range all {
		types[f.API.OriginalGVK().Version] = reflect.TypeOf(f.API).Elem()
	}
	out := map[string]*ForeignReader{}
	for _, f := range all {
		out[f.Version] = &ForeignReader{aso.Reader{
			Group: kind.Group, Version: f.Version, API: f.API.OriginalGVK().Version, Hub: hub, Types: types,
		}}
	}
	return out
}

// ForeignReader converts the JSON of objects between a foreign version and the hub. It is safe
// for concurrent use.
type ForeignReader struct{ reader aso.Reader }

// Via converts the JSON of an object between two versions of its kind: API versions or the hub.
type Via = func(ctx context.Context, from, to string, object []byte) ([]byte, error)

// Read converts a stored object to the hub. It sets the entries of property bags as clients of the
// versions with such properties would. So it calls via up to twice for each version, and once more.
// Entries that fit no version are stored in the hub's bag, as one entry with the foreign version in
// its key.
func (f *ForeignReader) Read(ctx context.Context, object []byte, via Via) ([]byte, error) {
	return f.reader.Read(ctx, object, via)
}

// Write converts an object of the hub to the foreign version, without property bags. API servers
// use the result to compare the owners of fields; it must not be stored.
func (f *ForeignReader) Write(ctx context.Context, object []byte, via Via) ([]byte, error) {
	return f.reader.Write(ctx, object, via)
}

// Conversions returns the largest number of conversions that Read calls.
func (f *ForeignReader) Conversions() int { return 1 + 2*len(f.reader.Types) }
