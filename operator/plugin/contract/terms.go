package contract

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strconv"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Terms describe a version without its Go interface.
type Terms struct {
	ID
	Service string
	Methods map[string]Manner
	service protoreflect.ServiceDescriptor
}

// Manner describes how to call a method.
type Manner struct {
	Path       string // on the wire: /service/method
	Idempotent bool   // whether it may be repeated if it is unknown whether it was executed
}

var serviceName = regexp.MustCompile(`^strata\.([a-z][a-z0-9]*)\.v([1-9][0-9]{0,3})\.[A-Z][A-Za-z0-9]*$`)

func readTerms(service string) (*Terms, error) {
	parts := serviceName.FindStringSubmatch(service)
	if parts == nil {
		return nil, fmt.Errorf("service %q is not named strata.<kind>.v<number>.<Interface>", service)
	}
	number, err := strconv.Atoi(parts[2])
	if err != nil {
		return nil, fmt.Errorf("service %s: %w", service, err)
	}
	d, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(service))
	if err != nil {
		return nil, fmt.Errorf("service %s: %w", service, err)
	}
	described, ok := d.(protoreflect.ServiceDescriptor)
	if !ok {
		return nil, fmt.Errorf("%s is not a service", service)
	}
	t := &Terms{ID: ID{Kind: parts[1], Number: number}, Service: service, service: described, Methods: map[string]Manner{}}
	for i := range described.Methods().Len() {
		m := described.Methods().Get(i)
		t.Methods[string(m.Name())] = Manner{Path: "/" + service + "/" + string(m.Name()), Idempotent: isIdempotent(m)}
	}
	return t, nil
}

func isIdempotent(m protoreflect.MethodDescriptor) bool {
	options, ok := m.Options().(*descriptorpb.MethodOptions)
	return ok && options.GetIdempotencyLevel() != descriptorpb.MethodOptions_IDEMPOTENCY_UNKNOWN
}

// signature is the signature of a method in Go.
type signature struct{ in, out protoreflect.FullName }

// fits checks that the interface, its declared methods and the service agree.
func (t *Terms) fits(of reflect.Type, declared map[string]signature) error {
	if of.Kind() != reflect.Interface {
		return fmt.Errorf("%s is not an interface", of)
	}
	var wrong []error
	for i := range of.NumMethod() {
		if name := of.Method(i).Name; t.service.Methods().ByName(protoreflect.Name(name)) == nil {
			wrong = append(wrong, fmt.Errorf("the interface has a method %s that the service lacks", name))
		}
	}
	for i := range t.service.Methods().Len() {
		wrong = append(wrong, fit(t.service.Methods().Get(i), declared))
	}
	for name := range declared {
		if t.service.Methods().ByName(protoreflect.Name(name)) == nil {
			wrong = append(wrong, fmt.Errorf("the service has no method %s", name))
		}
	}
	return errors.Join(wrong...)
}

func fit(m protoreflect.MethodDescriptor, declared map[string]signature) error {
	got, ok := declared[string(m.Name())]
	want := signature{m.Input().FullName(), m.Output().FullName()}
	switch {
	case m.IsStreamingClient() || m.IsStreamingServer():
		return fmt.Errorf("method %s streams, which no plugin can", m.Name())
	case !ok:
		return fmt.Errorf("method %s is not among Methods", m.Name())
	case got != want:
		return fmt.Errorf("method %s takes %s and returns %s, but in the service %s and %s", m.Name(), got.in, got.out, want.in, want.out)
	}
	return nil
}
