package armid

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Of returns the identifier of a resource of a type with a name below a parent. There are three
// cases:
//
//   - below a resource whose type is a prefix of the type, such as pools below a batch account;
//   - below any other resource or scope, as an extension or as a resource of the scope:
//     /providers/, the namespace, and all types with their names;
//   - resource groups and subscriptions, which have no providers in their identifiers.
//
// A name may contain those of resources in between, such as default/logs for the containers of a
// storage account.
func Of(kind string, parent ID, name string) (ID, error) {
	words := strings.Split(kind, "/")
	if len(words) < 2 {
		return ID{}, fmt.Errorf("%q is no type of a resource: a namespace and a type are wanted, as Microsoft.Batch/batchAccounts", kind)
	}
	for _, word := range words {
		if err := checkName(word); err != nil {
			return ID{}, fmt.Errorf("type %q: %w", kind, err)
		}
	}
	names := strings.Split(name, "/")
	for _, n := range names {
		if err := checkName(n); err != nil {
			return ID{}, fmt.Errorf("name %q: %w", name, err)
		}
	}
	switch {
	case strings.EqualFold(kind, Subscription):
		return special(kind, parent, names, Tenant, "subscriptions")
	case IsResourceGroup(kind):
		return special(ResourceGroup, parent, names, Subscription, "resourceGroups")
	}
	return below(kind, words, parent, names)
}

// IsResourceGroup reports whether a type, under either of its two names, is that of resource
// groups.
func IsResourceGroup(kind string) bool {
	return strings.EqualFold(kind, ResourceGroup) || strings.EqualFold(kind, Subscription+"/resourceGroups")
}

func special(kind string, parent ID, names []string, wanted, prefix string) (ID, error) {
	if parent.Type() != wanted || len(names) != 1 {
		return ID{}, fmt.Errorf("%s belongs to a parent of type %s, and %s is of type %s", kind, wanted, parent, parent.Type())
	}
	return parent.with(kind, names[0], prefix), nil
}

func below(kind string, words []string, parent ID, names []string) (ID, error) {
	types := words[1:]
	if len(names) > len(types) {
		return ID{}, fmt.Errorf("name %q has %d parts, but type %s wants %d at most", strings.Join(names, "/"), len(names), kind, len(types))
	}
	covered := len(types) - len(names)
	at, prefix := words[0], "providers/"+words[0]+"/"
	if covered > 0 {
		at, prefix = strings.Join(words[:1+covered], "/"), ""
		if !strings.EqualFold(at, parent.Type()) {
			return ID{}, fmt.Errorf("%s with the name %q belongs to a parent of type %s, and %s is of type %s",
				kind, strings.Join(names, "/"), at, parent, parent.Type())
		}
	}
	for i, name := range names {
		at += "/" + types[covered+i]
		parent = parent.with(at, name, prefix+types[covered+i])
		prefix = ""
	}
	return parent, nil
}

// longestName is the maximum length of a name in ARM, in characters.
const longestName = 260

// checkName returns an error if a name would change the structure of an identifier.
func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("a part is empty")
	case name == "." || name == "..":
		return fmt.Errorf("%q is no name", name)
	case utf8.RuneCountInString(name) > longestName:
		return fmt.Errorf("a name has more than %d characters", longestName)
	case !utf8.ValidString(name):
		return errors.New("it is not UTF-8")
	case strings.TrimSpace(name) != name:
		return fmt.Errorf("%q begins or ends with a blank", name)
	}
	for _, r := range name {
		if unicode.IsControl(r) || strings.ContainsRune(`/\?#%<>&`, r) {
			return fmt.Errorf("%q holds %q, which no name may", name, r)
		}
	}
	return nil
}
