package armid

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// Kind is the kind of object that a path identifies.
type Kind int

// The kinds of targets.
const (
	Subscription   Kind = iota // /subscriptions/S
	Subscriptions              // /subscriptions
	ResourceGroup              // /subscriptions/S/resourceGroups/G
	ResourceGroups             // /subscriptions/S/resourceGroups
	Contents                   // <subscription or group>/resources
	Resource                   // <scope>/providers/N/type/name...
	Collection                 // <scope>/providers/N/type, or <resource>/type
	Provider                   // <scope>/providers/N
)

// Scope is the scope that a resource belongs to. A child has the scope of its outermost parent.
type Scope int

// The scopes.
const (
	Tenant Scope = iota
	ManagementGroup
	InSubscription
	InGroup
	Extension
)

// Target is the object that a path identifies. Paths begin with a slash, and do not end with one.
type Target struct {
	Kind         Kind
	Path         string // of the target itself, as written
	Subscription string // its name; empty outside of subscriptions
	Group        string // the path of its resource group; empty outside of groups
	Scope        Scope  // of resources and collections
	ScopePath    string // what stands before the last /providers/; empty for the tenant
	Namespace    string // of resources, collections and providers
	Type         string // of resources and collections, as Microsoft.Batch/batchAccounts/pools
	Name         string // the last one
	ParentType   string // of a child's parent; empty for what is no child
	Parent       string // path of a child's parent resource, else the scope's path
}

// Key is the form of the target's path in which equal ids are equal.
func (t Target) Key() string { return Key(t.Path) }

// Key is the form of a path in which equal ids are equal.
func Key(path string) string { return strings.ToLower(path) }

// Names are those of a resource and its parents of the same provider, the outermost first.
func (t Target) Names() []string {
	words := strings.Split(t.Path[len(t.ScopePath):], "/") // "", providers, namespace, then pairs of a type and a name
	if t.Namespace == "" {
		return nil
	}
	var names []string
	for i := 4; i < len(words); i += 2 {
		names = append(names, words[i])
	}
	return names
}

const (
	maxLength  = 4096
	maxSegment = 260
)

// Parse reads the escaped path of a request. A path that ends within a resource is a collection;
// whether the last word is an action instead is decided by the request's method.
func Parse(escaped string) (Target, error) {
	if len(escaped) > maxLength {
		return Target{}, fmt.Errorf("the path is longer than %d bytes", maxLength)
	}
	segments, err := split(escaped)
	if err != nil {
		return Target{}, err
	}
	p := &parser{rest: segments}
	return p.target()
}

func split(escaped string) ([]string, error) {
	trimmed := strings.TrimSuffix(strings.TrimPrefix(escaped, "/"), "/")
	if trimmed == "" {
		return nil, errors.New("the path names nothing")
	}
	segments := strings.Split(trimmed, "/")
	for i, s := range segments {
		plain, err := url.PathUnescape(s)
		switch {
		case err != nil:
			return nil, fmt.Errorf("the part %q of the path is not escaped well", s)
		case plain == "" || plain == "." || plain == "..":
			return nil, fmt.Errorf("the path has a part %q", plain)
		case len(plain) > maxSegment:
			return nil, fmt.Errorf("a part of the path is longer than %d bytes", maxSegment)
		case strings.ContainsFunc(plain, unfit):
			return nil, fmt.Errorf("the part %q of the path has a character that names cannot have", plain)
		}
		segments[i] = plain
	}
	return segments, nil
}

func unfit(r rune) bool { return r < ' ' || strings.ContainsRune(`/\<>%&?#`, r) }

// parser reads segments from the left.
type parser struct {
	t    Target
	path strings.Builder
	rest []string
}

func (p *parser) next() string {
	s := p.rest[0]
	p.rest = p.rest[1:]
	p.path.WriteString("/" + s)
	return s
}

// is reports whether the next word is a keyword.
func (p *parser) is(word string) bool { return len(p.rest) > 0 && strings.EqualFold(p.rest[0], word) }

func (p *parser) target() (Target, error) {
	if p.is("subscriptions") {
		p.subscription()
	}
	for p.is("providers") {
		if err := p.provider(); err != nil {
			return Target{}, err
		}
	}
	if len(p.rest) > 0 {
		return Target{}, fmt.Errorf("the path cannot be read from %q on", p.rest[0])
	}
	p.t.Path = p.path.String()
	return p.t, nil
}

func (p *parser) subscription() {
	p.next()
	if p.t.Kind = Subscriptions; len(p.rest) == 0 {
		return
	}
	p.t.Kind, p.t.Subscription = Subscription, p.next()
	p.t.Scope, p.t.Name = InSubscription, p.t.Subscription
	if p.is("resourceGroups") {
		p.t.Parent = p.path.String()
		p.next()
		if p.t.Kind = ResourceGroups; len(p.rest) == 0 {
			return
		}
		p.t.Kind, p.t.Scope, p.t.Name = ResourceGroup, InGroup, p.next()
		p.t.Group = p.path.String()
	}
	if p.is("resources") && len(p.rest) == 1 {
		p.t.ScopePath = p.path.String()
		p.next()
		p.t.Kind = Contents
	}
}

// provider reads /providers/N and the pairs of types and names behind it.
func (p *parser) provider() error {
	t := &p.t
	switch {
	case t.Kind == Subscriptions && p.path.Len() > 0, t.Kind == ResourceGroups, t.Kind == Collection, t.Kind == Contents:
		return fmt.Errorf("the path has /providers/ behind %q, which is no scope", p.path.String())
	case t.Kind == Resource && !strings.EqualFold(t.Type, "Microsoft.Management/managementGroups"):
		t.Scope = Extension
	case t.Kind == Resource:
		t.Scope = ManagementGroup
	case p.path.Len() == 0:
		t.Scope = Tenant
	}
	t.ScopePath = p.path.String()
	p.next()
	if len(p.rest) == 0 {
		return errors.New("the path ends where a provider should be named")
	}
	t.Kind, t.Namespace = Provider, p.next()
	t.Type, t.Name, t.ParentType, t.Parent = t.Namespace, "", "", t.ScopePath
	for len(p.rest) > 0 && !(p.is("providers") && t.Kind == Resource) {
		p.pair()
	}
	return nil
}

func (p *parser) pair() {
	t := &p.t
	if t.Kind == Resource {
		t.Parent, t.ParentType = p.path.String(), t.Type
	}
	t.Type += "/" + p.next()
	t.Name = ""
	if t.Kind = Collection; len(p.rest) > 0 {
		t.Kind, t.Name = Resource, p.next()
	}
}
