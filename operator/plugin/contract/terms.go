package contract

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Terms describe a version without its Go interface.
type Terms struct {
	ID
	Service string
	Domain  string // of plugins whose names have none; empty if they must have one
	Methods map[string]Manner
	service protoreflect.ServiceDescriptor
}

// Manner describes how to call a method.
type Manner struct {
	Path       string // on the wire: /service/method
	Idempotent bool   // whether it may be repeated if it is unknown whether it was executed
	Streams    bool   // whether it returns any number of messages
}

// Name completes the name of a plugin of the kind.
func (t *Terms) Name(name string) (string, error) { return Name(name, t.Domain) }

// ParseService returns the version and the interface that the full name of a service contains, such
// as example.backup.store.v1.Store. The kind is the package without its version. Strata's own kinds
// have a package of two parts, strata.provider, and the kind is the second one, as the first
// release has sent it.
func ParseService(service string) (id ID, name string, err error) {
	parts := serviceName.FindStringSubmatch(service)
	if parts == nil {
		return ID{}, "", fmt.Errorf("service %q is not named <project>.<kind>.v<number>.<Interface>, as in example.store.v1.Store", service)
	}
	number, err := strconv.Atoi(parts[2])
	if err != nil {
		return ID{}, "", fmt.Errorf("service %s: %w", service, err)
	}
	kind := parts[1]
	if own, isOwn := strings.CutPrefix(kind, "strata."); isOwn && !strings.Contains(own, ".") {
		kind = own
	}
	return ID{Kind: kind, Number: number}, parts[3], nil
}

var serviceName = regexp.MustCompile(`^((?:[a-z][a-z0-9_]*\.)+[a-z][a-z0-9_]*)\.v([1-9][0-9]{0,3})\.([A-Z][A-Za-z0-9]*)$`)

func readTerms(service string) (*Terms, error) {
	id, _, err := ParseService(service)
	if err != nil {
		return nil, err
	}
	d, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(service))
	if err != nil {
		return nil, fmt.Errorf("service %s: %w", service, err)
	}
	described, ok := d.(protoreflect.ServiceDescriptor)
	if !ok {
		return nil, fmt.Errorf("%s is not a service", service)
	}
	t := &Terms{ID: id, Service: service, service: described, Methods: map[string]Manner{}}
	for i := range described.Methods().Len() {
		m := described.Methods().Get(i)
		t.Methods[string(m.Name())] = Manner{
			Path: "/" + service + "/" + string(m.Name()), Idempotent: isIdempotent(m), Streams: m.IsStreamingServer(),
		}
	}
	return t, nil
}

func isIdempotent(m protoreflect.MethodDescriptor) bool {
	options, ok := m.Options().(*descriptorpb.MethodOptions)
	return ok && options.GetIdempotencyLevel() != descriptorpb.MethodOptions_IDEMPOTENCY_UNKNOWN
}

// signature is the signature of a method in Go.
type signature struct {
	in, out protoreflect.FullName
	streams bool
}

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
	want := signature{m.Input().FullName(), m.Output().FullName(), m.IsStreamingServer()}
	switch {
	case m.IsStreamingClient():
		return fmt.Errorf("method %s has a stream of requests, which no plugin can take: a request is one message", m.Name())
	case !ok:
		return fmt.Errorf("method %s is not among Methods", m.Name())
	case got.streams != want.streams:
		return fmt.Errorf("method %s is declared by %s, but in the service it is of the other form", m.Name(), declaration(got.streams))
	case got != want:
		return fmt.Errorf("method %s takes %s and returns %s, but in the service %s and %s", m.Name(), got.in, got.out, want.in, want.out)
	}
	return nil
}

func declaration(streams bool) string {
	if streams {
		return "contract.Stream"
	}
	return "contract.Unary"
}
