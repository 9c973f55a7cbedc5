package armid

import (
	"fmt"
	"net/url"
	"strings"
)

// The types of scopes in ARM.
const (
	Tenant        = "Microsoft.Resources/tenants"
	Subscription  = "Microsoft.Resources/subscriptions"
	ResourceGroup = "Microsoft.Resources/resourceGroups"
)

// longest is the maximum length of an identifier in bytes. It exceeds the limits of ARM, and is
// short enough for messages.
const longest = 4096

// ID is the identifier of a resource or of a scope. The zero value is the tenant.
type ID struct{ links []link }

// link is one resource on the path from the tenant to the identified resource.
type link struct {
	kind string // its type
	name string
	text string // the identifier up to this resource
}

// Parse parses an identifier such as
// /subscriptions/S/resourceGroups/G/providers/Microsoft.Batch/batchAccounts/a. An empty text and
// a slash are the tenant. Letters keep their case.
func Parse(text string) (ID, error) {
	if text == "" || text == "/" {
		return ID{}, nil
	}
	if len(text) > longest {
		return ID{}, fmt.Errorf("an identifier has %d bytes, more than %d", len(text), longest)
	}
	if text[0] != '/' {
		return ID{}, fmt.Errorf("identifier %q does not begin with a slash", text)
	}
	words := strings.Split(text[1:], "/")
	for _, word := range words {
		if err := checkName(word); err != nil {
			return ID{}, fmt.Errorf("identifier %q: %w", text, err)
		}
	}
	id, rest := scope(words)
	for len(rest) > 0 {
		var err error
		if id, rest, err = id.block(rest); err != nil {
			return ID{}, fmt.Errorf("identifier %q: %w", text, err)
		}
	}
	return id, nil
}

// scope parses the words of a subscription and a resource group, and returns the others.
func scope(words []string) (id ID, rest []string) {
	if len(words) < 2 || !strings.EqualFold(words[0], "subscriptions") {
		return id, words
	}
	id = id.with(Subscription, words[1], words[0])
	if len(words) < 4 || !strings.EqualFold(words[2], "resourceGroups") {
		return id, words[2:]
	}
	return id.with(ResourceGroup, words[3], words[2]), words[4:]
}

// block parses the word providers, a namespace, and pairs of a type and a name, up to the next
// providers.
func (id ID) block(words []string) (ID, []string, error) {
	if !strings.EqualFold(words[0], "providers") {
		return ID{}, nil, fmt.Errorf("%q is in place of providers", words[0])
	}
	if len(words) < 4 || strings.EqualFold(words[2], "providers") {
		return ID{}, nil, fmt.Errorf("it ends within what follows providers: a namespace, a type and a name are wanted")
	}
	kind, prefix := words[1], words[0]+"/"+words[1]+"/"
	words = words[2:]
	for len(words) > 0 && !strings.EqualFold(words[0], "providers") {
		if len(words) == 1 {
			return ID{}, nil, fmt.Errorf("type %s has no name", words[0])
		}
		kind += "/" + words[0]
		id = id.with(kind, words[1], prefix+words[0])
		words, prefix = words[2:], ""
	}
	return id, words, nil
}

// with returns the identifier of a resource below this one. The prefix has the words before the
// name.
func (id ID) with(kind, name, prefix string) ID {
	text := "/" + prefix + "/" + name
	if len(id.links) > 0 {
		text = id.String() + text
	}
	links := append([]link(nil), id.links...)
	return ID{append(links, link{kind: kind, name: name, text: text})}
}

// String returns the identifier as text; a slash for the tenant.
func (id ID) String() string {
	if id.IsTenant() {
		return "/"
	}
	return id.links[len(id.links)-1].text
}

// Path returns the identifier as the escaped path of a URL; empty for the tenant.
func (id ID) Path() string {
	if id.IsTenant() {
		return ""
	}
	words := strings.Split(id.String(), "/")
	for i, word := range words {
		words[i] = url.PathEscape(word)
	}
	return strings.Join(words, "/")
}

// IsTenant reports whether the identifier is that of the tenant, the outermost scope.
func (id ID) IsTenant() bool { return len(id.links) == 0 }

// Type returns the type of the identified resource, such as Microsoft.Batch/batchAccounts/pools.
func (id ID) Type() string {
	if id.IsTenant() {
		return Tenant
	}
	return id.links[len(id.links)-1].kind
}

// Name returns the last name; empty for the tenant.
func (id ID) Name() string {
	if id.IsTenant() {
		return ""
	}
	return id.links[len(id.links)-1].name
}

// Parent returns the identifier of the resource or the scope that contains this one; the tenant
// for the tenant.
func (id ID) Parent() ID {
	if id.IsTenant() {
		return ID{}
	}
	return ID{id.links[:len(id.links)-1]}
}

// Names returns the names of the resource and of those above it whose types are prefixes of its
// own type, from the outermost on.
func (id ID) Names() []string {
	var names []string
	for at := id; !at.IsTenant(); at = at.Parent() {
		names = append([]string{at.Name()}, names...)
		above, _, _ := cutLast(at.Type())
		if !strings.EqualFold(above, at.Parent().Type()) {
			break
		}
	}
	return names
}

// Subscription returns the name of the subscription of the resource; empty if it is in none.
func (id ID) Subscription() string {
	if id.IsTenant() || id.links[0].kind != Subscription {
		return ""
	}
	return id.links[0].name
}

// Equal reports whether both identify the same resource. ARM ignores case.
func (id ID) Equal(other ID) bool { return strings.EqualFold(id.String(), other.String()) }

func cutLast(kind string) (before, last string, found bool) {
	i := strings.LastIndexByte(kind, '/')
	if i < 0 {
		return "", kind, false
	}
	return kind[:i], kind[i+1:], true
}
