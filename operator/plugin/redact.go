package plugin

import (
	"log/slog"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protopath"
	"google.golang.org/protobuf/reflect/protorange"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// redact removes from logged messages the fields that their authors marked with debug_redact.
func redact(_ []string, a slog.Attr) slog.Attr {
	m, ok := a.Value.Any().(proto.Message)
	if !ok {
		return a
	}
	m = proto.Clone(m)
	_ = protorange.Range(m.ProtoReflect(), func(v protopath.Values) error {
		if inside, ok := v.Index(-1).Value.Interface().(protoreflect.Message); ok {
			clearSecrets(inside)
		}
		return nil
	})
	return slog.String(a.Key, protojson.Format(m))
}

func clearSecrets(m protoreflect.Message) {
	m.Range(func(field protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
		if options, ok := field.Options().(*descriptorpb.FieldOptions); ok && options.GetDebugRedact() {
			m.Clear(field)
		}
		return true
	})
}
