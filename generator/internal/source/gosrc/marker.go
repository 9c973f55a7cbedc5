package gosrc

import (
	"errors"
	"fmt"
	"go/token"
	"slices"
	"strings"

	crd "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
)

// The markers of ours, as authors write them. Members without the option are demanded.
type (
	// versionMarker declares a version of the package.
	versionMarker struct {
		Name               string
		Deprecated         bool   `marker:",optional"`
		DeprecationWarning string `marker:",optional"`
		Doc                string `marker:",optional"`
		Served             *bool
		Skip               []string `marker:",optional"`
	}
	// versionsMarker says how the versions of the package stand.
	versionsMarker struct {
		AllowUnsorted bool     `marker:",optional"`
		Skip          []string `marker:",optional"`
	}
	// resourceMarker makes a struct the spec of a resource.
	resourceMarker struct {
		Group      string   `marker:",optional"`
		Kind       string   `marker:",optional"`
		Singular   string   `marker:",optional"`
		Plural     string   `marker:",optional"`
		Scope      string   `marker:",optional"`
		ShortNames []string `marker:",optional"`
		Categories []string `marker:",optional"`
		Status     string   `marker:",optional"`
		Skip       []string `marker:",optional"`
	}
	addedMarker struct {
		Since   string
		Default string `marker:",optional"`
	}
	changedMarker struct {
		Since         string
		FromName      string `marker:",optional"`
		FromType      string `marker:",optional"`
		UpgradeWith   string `marker:",optional"`
		DowngradeWith string `marker:",optional"`
	}
	deprecatedMarker struct {
		Since string
		Note  string `marker:",optional"`
	}
	removedMarker struct {
		Since string
	}
	// groupMarker is kubebuilder's: the API group of a package.
	groupMarker string
	// rootMarker is kubebuilder's: whether a type is the root of a resource, or a list of them.
	rootMarker bool
)

// ours begins the names of our markers.
const ours = "strata:"

// definition is a marker that authors may write: what it describes, and what it says.
type definition struct {
	name   string
	on     []markers.TargetType
	output any
	doc    string
}

var (
	onPackage = []markers.TargetType{markers.DescribesPackage}
	onType    = []markers.TargetType{markers.DescribesType}
	onField   = []markers.TargetType{markers.DescribesField}
	onBoth    = []markers.TargetType{markers.DescribesField, markers.DescribesType}
)

// definitions is the table of our markers, in the order of the reference page. Those of fields
// stand at constants too, and of types only at those that are resources.
var definitions = []definition{
	{"strata:version", onPackage, versionMarker{}, "A version of the package; one marker for each, the earliest first."},
	{"strata:versions", onPackage, versionsMarker{}, "Settings for all versions and resources of the package."},
	{"strata:resource", onType, resourceMarker{}, "The struct is the spec of a resource."},
	{"strata:added", onBoth, addedMarker{}, "Earlier versions do not have it."},
	{"strata:changed", onField, changedMarker{}, "Earlier versions have it under another name, or with another type; may be repeated."},
	{"strata:deprecated", onField, deprecatedMarker{}, "It exists and should no longer be used; its name in Go begins with `Deprecated`."},
	{"strata:removed", onBoth, removedMarker{}, "This version and later ones do not have it."},
}

// kubebuilder's own, beside those of CRDs.
var known = []definition{
	{"groupName", onPackage, groupMarker(""), ""},
	{"kubebuilder:object:root", onType, rootMarker(false), ""},
	{"enum", onType, struct{}{}, ""},
}

// newRegistry knows our markers and kubebuilder's.
func newRegistry() (*markers.Registry, error) {
	reg := &markers.Registry{}
	err := crd.Register(reg)
	for _, d := range slices.Concat(definitions, known) {
		for _, target := range d.on {
			err = errors.Join(err, reg.Define(d.name, target, d.output))
		}
	}
	return reg, err
}

// A mark is one marker: what it says, and where it stands.
type mark struct {
	name  string
	value any
	text  string
	pos   token.Pos
}

// at is where an argument stands, the marker itself if it is not there.
func (m mark) at(argument string) token.Pos {
	if i := strings.Index(m.text, argument+"="); i >= 0 {
		return m.pos + token.Pos(i)
	}
	return m.pos
}

// marks are the markers of one declaration, in the order of the file.
type marks []mark

// all gives what the markers of one type say.
func all[T any](ms marks) (values []T, at []mark) {
	for _, m := range ms {
		if v, ok := m.value.(T); ok {
			values, at = append(values, v), append(at, m)
		}
	}
	return values, at
}

// has reports whether there is a marker of any of some names.
func (ms marks) has(names ...string) bool {
	return slices.ContainsFunc(ms, func(m mark) bool { return slices.Contains(names, m.name) })
}

// faults says in plain words what is wrong with the text of a marker: what was
// misunderstood first, or else all that is missing.
func faults(err error) []string {
	list := loader.ErrList{err}
	errors.As(err, &list)
	var missing []string
	for _, e := range list {
		text := e.Error()
		if scan := (*markers.ScannerError)(nil); errors.As(e, &scan) {
			text = scan.Msg
		}
		if !strings.HasPrefix(text, "missing argument") {
			return []string{text}
		}
		missing = append(missing, text)
	}
	slices.Sort(missing)
	return missing
}

// arguments lists what a definition of ours takes, those that are demanded first.
func (d definition) arguments() (demanded, optional []string) {
	def, err := markers.MakeDefinition(d.name, d.on[0], d.output)
	if err != nil {
		return nil, nil
	}
	for name, argument := range def.Fields {
		if argument.Optional {
			optional = append(optional, name)
		} else {
			demanded = append(demanded, name)
		}
	}
	slices.Sort(demanded)
	slices.Sort(optional)
	return demanded, optional
}

// example is how a marker looks, for hints.
func (d definition) example() string {
	demanded, optional := d.arguments()
	if len(demanded) == 0 {
		return "+" + d.name
	}
	return fmt.Sprintf("+%s:%s=... (also: %s)", d.name, strings.Join(demanded, "=...,"), strings.Join(optional, ", "))
}
