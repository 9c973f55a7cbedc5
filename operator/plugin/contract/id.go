package contract

import (
	"fmt"
	"regexp"
	"strconv"
)

// ID identifies a version of a kind.
type ID struct {
	Kind   string
	Number int
}

func (id ID) String() string { return id.Kind + "." + id.version() }

func (id ID) version() string { return "v" + strconv.Itoa(id.Number) }

// Served is a version of a kind under a name.
type Served struct {
	ID
	Name string
}

func (s Served) String() string { return s.Kind + " " + s.Name + " " + s.version() }

var (
	nameOnly  = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)
	qualified = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?/[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?$`)
)

// Name completes the name of a plugin, such as example.com/files: a name without a domain gets the
// given one. Without a given domain it is an error.
func Name(name, domain string) (string, error) {
	if nameOnly.MatchString(name) && domain != "" {
		name = domain + "/" + name
	}
	if !qualified.MatchString(name) || len(name) > maxName {
		return "", fmt.Errorf("%q is not the name of a plugin: want a domain and a name in lower-case letters, such as example.com/files", name)
	}
	return name, nil
}

const maxName = 253
