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

// Domain is the domain of names without one.
const Domain = "strata.dev"

var (
	nameOnly  = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)
	qualified = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?/[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?$`)
)

// Name completes the name of a plugin, such as example.com/files: it adds Domain if there is no
// domain.
func Name(name string) (string, error) {
	switch {
	case nameOnly.MatchString(name):
		return Domain + "/" + name, nil
	case qualified.MatchString(name) && len(name) <= 253:
		return name, nil
	}
	return "", fmt.Errorf("%q is not the name of a plugin: want a domain and a name in lower-case letters, such as example.com/files", name)
}
