package protofiles

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Breaking reports how files differ from released ones in a way that affects a plugin or a host
// of the release, on the wire or when it is compiled. New messages, fields, values of enums and
// files are no such change. A new method of a released service is one, because plugins would have
// to implement it.
func Breaking(released, now *descriptorpb.FileDescriptorSet) error {
	c := comparison{was: index(released), is: index(now)}
	for _, name := range slices.Sorted(maps.Keys(c.was.files)) {
		if !strings.HasPrefix(name, "google/protobuf/") {
			c.compareFile(c.was.files[name], c.is.files[name])
		}
	}
	return errors.Join(c.wrong...)
}

type comparison struct {
	was, is indexed
	wrong   []error
}

// indexed has the files of an image by their paths.
type indexed struct {
	files map[string]*descriptorpb.FileDescriptorProto
}

func index(image *descriptorpb.FileDescriptorSet) indexed {
	i := indexed{files: map[string]*descriptorpb.FileDescriptorProto{}}
	for _, file := range image.GetFile() {
		i.files[file.GetName()] = file
	}
	return i
}

func (c *comparison) report(format string, args ...any) {
	c.wrong = append(c.wrong, fmt.Errorf(format, args...))
}

func (c *comparison) compareFile(was, is *descriptorpb.FileDescriptorProto) {
	name := was.GetName()
	if is == nil {
		c.report("%s: the file is gone", name)
		return
	}
	for _, same := range []struct{ what, was, is string }{
		{"package", was.GetPackage(), is.GetPackage()},
		{"go_package", was.GetOptions().GetGoPackage(), is.GetOptions().GetGoPackage()},
		{"syntax", syntax(was), syntax(is)},
		{"features", line(was.GetOptions().GetFeatures()), line(is.GetOptions().GetFeatures())},
	} {
		if same.was != same.is {
			c.report("%s: %s was %q and is %q", name, same.what, same.was, same.is)
		}
	}
	c.compareMessages(name, was.GetMessageType(), is.GetMessageType())
	c.compareEnums(name, was.GetEnumType(), is.GetEnumType())
	services := byName(is.GetService())
	for _, s := range was.GetService() {
		c.compareService(name+": "+s.GetName(), s, services[s.GetName()])
	}
}

// syntax returns the syntax of a file; that of proto2 has two spellings.
func syntax(f *descriptorpb.FileDescriptorProto) string {
	if f.GetSyntax() == "" {
		return "proto2"
	}
	return f.GetSyntax() + f.GetEdition().String()
}

type named interface{ GetName() string }

func byName[T named](all []T) map[string]T {
	m := map[string]T{}
	for _, one := range all {
		m[one.GetName()] = one
	}
	return m
}

func (c *comparison) compareService(at string, was, is *descriptorpb.ServiceDescriptorProto) {
	if is == nil {
		c.report("%s: the service is gone", at)
		return
	}
	methods, released := byName(is.GetMethod()), byName(was.GetMethod())
	for _, m := range was.GetMethod() {
		if !proto.Equal(essence(m), essence(methods[m.GetName()])) {
			c.report("%s.%s: was %s and is %s", at, m.GetName(), describe(m), describe(methods[m.GetName()]))
		}
	}
	for _, m := range is.GetMethod() {
		if released[m.GetName()] == nil && !isFramework(at) {
			c.report("%s.%s is new in a released version: it needs a new version", at, m.GetName())
		}
	}
}

// isFramework reports whether a service is the framework's own. It only grows.
func isFramework(at string) bool { return strings.HasPrefix(at, "strata/plugin/v1/") }

// essence returns what plugins and hosts notice of a method.
func essence(m *descriptorpb.MethodDescriptorProto) *descriptorpb.MethodDescriptorProto {
	if m == nil {
		return nil
	}
	return &descriptorpb.MethodDescriptorProto{
		Name: m.Name, InputType: m.InputType, OutputType: m.OutputType,
		ServerStreaming: proto.Bool(m.GetServerStreaming()), ClientStreaming: proto.Bool(m.GetClientStreaming()),
		Options: &descriptorpb.MethodOptions{IdempotencyLevel: m.GetOptions().GetIdempotencyLevel().Enum()},
	}
}

func describe(m *descriptorpb.MethodDescriptorProto) string {
	if m == nil {
		return "gone"
	}
	stream := ""
	if m.GetServerStreaming() {
		stream = "stream "
	}
	return fmt.Sprintf("(%s) returns (%s%s), %s", m.GetInputType(), stream, m.GetOutputType(), m.GetOptions().GetIdempotencyLevel())
}

func (c *comparison) compareMessages(at string, was, is []*descriptorpb.DescriptorProto) {
	messages := byName(is)
	for _, m := range was {
		c.compareMessage(at+": "+m.GetName(), m, messages[m.GetName()])
	}
}

func (c *comparison) compareMessage(at string, was, is *descriptorpb.DescriptorProto) {
	if is == nil {
		c.report("%s: the message is gone", at)
		return
	}
	fields := map[int32]*descriptorpb.FieldDescriptorProto{}
	for _, f := range is.GetField() {
		fields[f.GetNumber()] = f
	}
	for _, f := range was.GetField() {
		c.compareField(fmt.Sprintf("%s.%s", at, f.GetName()), f, fields[f.GetNumber()], oneof(was, f), oneof(is, fields[f.GetNumber()]))
		delete(fields, f.GetNumber())
	}
	for _, f := range is.GetField() {
		if fields[f.GetNumber()] == nil {
			continue
		}
		if f.GetLabel() == descriptorpb.FieldDescriptorProto_LABEL_REQUIRED {
			c.report("%s.%s is new and required: older plugins do not set it", at, f.GetName())
		}
		if wasReserved(was, f.GetNumber()) {
			c.report("%s.%s has the number %d, which was reserved", at, f.GetName(), f.GetNumber())
		}
	}
	c.compareFeatures(at, was.GetOptions().GetFeatures(), is.GetOptions().GetFeatures())
	c.compareMessages(at, was.GetNestedType(), is.GetNestedType())
	c.compareEnums(at, was.GetEnumType(), is.GetEnumType())
}

// compareFeatures compares what a message or an enum of a file with an edition sets. Any of it can
// change the encoding or the generated code.
func (c *comparison) compareFeatures(at string, was, is *descriptorpb.FeatureSet) {
	if wasText, isText := line(was), line(is); wasText != isText {
		c.report("%s: features were %q and are %q", at, wasText, isText)
	}
}

// line prints a message in one line; nothing for nil.
func line[M interface {
	comparable
	proto.Message
}](m M) string {
	if m == *new(M) {
		return ""
	}
	return strings.Join(strings.Fields(prototext.MarshalOptions{}.Format(m)), " ")
}

func wasReserved(m *descriptorpb.DescriptorProto, number int32) bool {
	return slices.ContainsFunc(m.GetReservedRange(), func(r *descriptorpb.DescriptorProto_ReservedRange) bool {
		return r.GetStart() <= number && number < r.GetEnd()
	})
}

// oneof returns the name of the oneof that a field is in. The compiler makes one for each optional
// field.
func oneof(m *descriptorpb.DescriptorProto, f *descriptorpb.FieldDescriptorProto) string {
	if f == nil || f.OneofIndex == nil {
		return ""
	}
	return m.GetOneofDecl()[f.GetOneofIndex()].GetName()
}

func (c *comparison) compareField(at string, was, is *descriptorpb.FieldDescriptorProto, wasIn, isIn string) {
	if is == nil {
		c.report("%s: the field %d is gone", at, was.GetNumber())
		return
	}
	if wasText, isText := fieldText(was, wasIn), fieldText(is, isIn); wasText != isText {
		c.report("%s: was %s and is %s", at, wasText, isText)
	}
	if was.GetOptions().GetDebugRedact() && !is.GetOptions().GetDebugRedact() {
		c.report("%s: was secret and is not: debug_redact is gone", at)
	}
}

// fieldText prints what plugins and hosts notice of a field.
func fieldText(f *descriptorpb.FieldDescriptorProto, in string) string {
	noticed := &descriptorpb.FieldDescriptorProto{
		Name: f.Name, Number: f.Number, Label: f.Label, Type: f.Type, TypeName: f.TypeName, JsonName: f.JsonName,
		DefaultValue: f.DefaultValue, Proto3Optional: f.Proto3Optional,
	}
	if features := f.GetOptions().GetFeatures(); features != nil {
		noticed.Options = &descriptorpb.FieldOptions{Features: features}
	}
	text := line(noticed)
	if in != "" {
		text += " in " + in
	}
	return text
}

func (c *comparison) compareEnums(at string, was, is []*descriptorpb.EnumDescriptorProto) {
	enums := byName(is)
	for _, e := range was {
		now := enums[e.GetName()]
		if now == nil {
			c.report("%s: %s: the enum is gone", at, e.GetName())
			continue
		}
		c.compareFeatures(at+": "+e.GetName(), e.GetOptions().GetFeatures(), now.GetOptions().GetFeatures())
		values := byName(now.GetValue())
		for _, v := range e.GetValue() {
			if other := values[v.GetName()]; other == nil || other.GetNumber() != v.GetNumber() {
				c.report("%s: %s: the value %s = %d is gone or different", at, e.GetName(), v.GetName(), v.GetNumber())
			}
		}
	}
}
