package armid

import (
	"fmt"
	"net/url"
	"strings"
)

// The types of scopes, as ARM names them.
const (
	Tenant        = "Microsoft.Resources/tenants"
	Subscription  = "Microsoft.Resources/subscriptions"
	ResourceGroup = "Microsoft.Resources/resourceGroups"
)

// longest is how long an identifier may be: more than ARM allows, and little enough to be put into
// messages.
const longest = 4096

// ID is the identifier of a resource or of a scope. The zero value is the tenant.
type ID struct{ links []link }

// link is a resource on the way from the tenant to the one that is identified.
type link struct {
	kind string // its type
	name string
	text string // the identifier up to here
}

// Parse reads an identifier as
// /subscriptions/S/resourceGroups/G/providers/Microsoft.Batch/batchAccounts/a. The tenant is an
// empty text, or a slash. Letters keep their case.
func Parse(text string) (ID, error) {
	if text == "" || text == "/" {
		return ID{}, nil
	}
	if len(text) > longest {
		return ID{}, fmt.Errorf("an identifier has %d characters, more than %d", len(text), longest)
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

// scope reads the words that are a subscription or a resource group.
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

// block reads providers, a namespace, and then pairs of a type and a name, up to the next
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

// with is the identifier of what lies below, on a way that ends in the last word of its type.
func (id ID) with(kind, name, prefix string) ID {
	text := "/" + prefix + "/" + name
	if len(id.links) > 0 {
		text = id.String() + text
	}
	links := append([]link(nil), id.links...)
	return ID{append(links, link{kind: kind, name: name, text: text})}
}

// String is the identifier as text, a slash for the tenant.
func (id ID) String() string {
	if id.IsTenant() {
		return "/"
	}
	return id.links[len(id.links)-1].text
}

// Path is the identifier as the escaped path of a URL, empty for the tenant.
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

// IsTenant reports whether it is the tenant, above all else.
func (id ID) IsTenant() bool { return len(id.links) == 0 }

// Type is the type of what is identified, as Microsoft.Batch/batchAccounts/pools.
func (id ID) Type() string {
	if id.IsTenant() {
		return Tenant
	}
	return id.links[len(id.links)-1].kind
}

// Name is the last name, empty for the tenant.
func (id ID) Name() string {
	if id.IsTenant() {
		return ""
	}
	return id.links[len(id.links)-1].name
}

// Parent is what it belongs to: the resource, or the scope, that its identifier continues.
func (id ID) Parent() ID {
	if id.IsTenant() {
		return ID{}
	}
	return ID{id.links[:len(id.links)-1]}
}

// Names are those of the resource and of the ones above it whose types its own type continues, from
// the outermost on.
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

// Subscription is the name of the subscription that it lies in, empty where it lies in none.
func (id ID) Subscription() string {
	if id.IsTenant() || id.links[0].kind != Subscription {
		return ""
	}
	return id.links[0].name
}

// Equal reports whether both identify the same resource: ARM does not heed case.
func (id ID) Equal(other ID) bool { return strings.EqualFold(id.String(), other.String()) }

func cutLast(kind string) (before, last string, found bool) {
	i := strings.LastIndexByte(kind, '/')
	if i < 0 {
		return "", kind, false
	}
	return kind[:i], kind[i+1:], true
}
