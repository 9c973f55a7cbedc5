package typed

import (
	"bytes"
	"context"
	"errors"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	kjson "sigs.k8s.io/json"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/convert"
	"github.com/stratakube/strata/webhook/internal/scan"
)

// totalCodec reads and writes types that Strata generated. It preserves values of the wrong type.
type totalCodec struct{}

func (totalCodec) decode(ctx context.Context, object []byte, into k8sruntime.Object) (raw []byte, err error) {
	if convert.DecodeContext(ctx, object, into) == nil {
		return nil, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	metadata := scan.Member(object, "metadata")
	object, err = readable(ctx, object, metadata)
	if err != nil {
		return nil, err
	}
	if err := convert.DecodeContext(ctx, object, into); err != nil || isReadable(metadata) {
		return nil, err
	}
	report(into)
	if metadata[0] != '{' {
		// The API server accepts only an object as metadata, so that nothing can be preserved.
		return []byte(`{}`), nil
	}
	return metadata, nil
}

var errMetadata = errors.New("a value is of the wrong type")

func report(about k8sruntime.Object) {
	event := runtime.Event{What: runtime.RawKept, Kind: about.GetObjectKind().GroupVersionKind(), Path: "metadata", Err: errMetadata}
	if object, ok := about.(metav1.Object); ok {
		event.Namespace, event.Name = object.GetNamespace(), object.GetName()
	}
	runtime.Report(event)
}

func (totalCodec) encode(ctx context.Context, out, raw []byte, _, dst k8sruntime.Object) ([]byte, error) {
	if raw == nil {
		data, err := convert.AppendContext(ctx, out, dst)
		if err != nil {
			return out, err
		}
		return withMetadata(data, len(out)), nil
	}
	data, err := convert.AppendContext(ctx, nil, dst)
	if err != nil {
		return out, err
	}
	return appendWith(out, data, raw), nil
}

func isReadable(metadata []byte) bool {
	return metadata == nil || kjson.UnmarshalCaseSensitivePreserveInts(metadata, new(metav1.ObjectMeta)) == nil
}

var members = []string{"apiVersion", "kind", "metadata", "spec", "status"}

// readable returns an object with the readable members of its metadata, and with every member once.
func readable(ctx context.Context, object, metadata []byte) ([]byte, error) {
	out := []byte{'{'}
	for _, name := range members {
		value := scan.Member(object, name)
		if name == "metadata" && !isReadable(metadata) {
			value = readableMetadata(ctx, metadata)
		}
		if value != nil {
			out = appendMember(out, []byte(`"`+name+`"`), value)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	for _, m := range others(ctx, object) {
		out = appendMember(out, m.name, m.value)
	}
	return append(out, '}'), ctx.Err()
}

// between is the number of members that are read between two looks at a context.
const between = 1 << 10

type member struct{ name, value []byte }

// others returns the members of an object that most kinds do not have, the last one of each name.
// It ends early when ctx is done.
func others(ctx context.Context, object []byte) []member {
	var all []member
	at, read := map[string]int{}, 0
	for name, value := range scan.Members(object) {
		if read++; read%between == 0 && ctx.Err() != nil {
			return nil
		}
		if slices.ContainsFunc(members, func(known string) bool { return scan.Is(name, known) }) {
			continue
		}
		i, isKnown := at[string(name)]
		if !isKnown {
			i = len(all)
			all = append(all, member{name: bytes.Clone(name)})
			at[string(name)] = i
		}
		all[i].value = value
	}
	return all
}

// readableMetadata returns metadata with its readable members. It ends early when ctx is done.
func readableMetadata(ctx context.Context, metadata []byte) []byte {
	out := []byte{'{'}
	for name, value := range scan.Members(metadata) {
		if ctx.Err() != nil {
			return nil
		}
		if isReadable(slices.Concat([]byte{'{'}, name, []byte{':'}, value, []byte{'}'})) {
			out = appendMember(out, name, value)
		}
	}
	return append(out, '}')
}
