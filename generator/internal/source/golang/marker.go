package golang

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

// The markers of Strata, as authors write them. Members without the option are required.
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
	// versionsMarker configures the versions of the package.
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
		MovedFrom     string `marker:",optional"`
		UpgradeWith   string `marker:",optional"`
		DowngradeWith string `marker:",optional"`
		Plural        bool   `marker:",optional"`
		Singular      bool   `marker:",optional"`
		WrappedIn     string `marker:",optional"`
		UnwrappedFrom string `marker:",optional"`
		KeyedBy       string `marker:",optional"`
		ListedBy      string `marker:",optional"`
		Split         string `marker:",optional"`
		Join          string `marker:",optional"`
		Factor        string `marker:",optional"`
	}
	deprecatedMarker struct {
		Since string
		Note  string `marker:",optional"`
	}
	removedMarker struct {
		Since string
	}
	// groupMarker is kubebuilder's marker for the API group of a package.
	groupMarker string
	// rootMarker is kubebuilder's marker for whether a type is the root of a resource, or a
	// list of them.
	rootMarker bool
)

// none is written in place of a function: as the default of a field that earlier objects do not
// get, or as the downgrade of numbers that earlier versions show as they are.
const none = "none"

// ours is the prefix of Strata's markers.
const ours = "strata:"

// definition is a marker that authors may write: what it describes, and its Go type.
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

// definitions is the table of Strata's markers, in the order of the reference page. Markers of
// fields also apply to constants, and those of types only to resources.
var definitions = []definition{
	{"strata:version", onPackage, versionMarker{}, "A version of the package; one marker for each, the earliest first."},
	{"strata:versions", onPackage, versionsMarker{}, "Settings for all versions and resources of the package."},
	{"strata:resource", onType, resourceMarker{}, "The struct is the spec of a resource."},
	{"strata:added", onBoth, addedMarker{}, "Earlier versions do not have it."},
	{"strata:changed", onField, changedMarker{}, "Earlier versions have it under another name, with another type, or in another object; may be repeated."},
	{"strata:deprecated", onField, deprecatedMarker{}, "It exists and should no longer be used; its name in Go begins with `Deprecated`."},
	{"strata:removed", onBoth, removedMarker{}, "This version and later ones do not have it."},
}

// kubebuilder's own, beside those of CRDs
var known = []definition{
	{"groupName", onPackage, groupMarker(""), ""},
	{"kubebuilder:object:root", onType, rootMarker(false), ""},
	{"enum", onType, struct{}{}, ""},
}

// newRegistry returns a registry with the markers of Strata and kubebuilder.
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

// A markerUse is one marker: its value, and its position.
type markerUse struct {
	name  string
	value any
	text  string
	pos   token.Pos
}

// at returns the position of an argument, or of the marker if the argument is missing.
func (m markerUse) at(argument string) token.Pos {
	if i := strings.Index(m.text, argument+"="); i >= 0 {
		return m.pos + token.Pos(i)
	}
	return m.pos
}

// markerUses are the markers of one declaration, in the order of the file.
type markerUses []markerUse

// all returns the values and the markers of one type.
func all[T any](ms markerUses) (values []T, at []markerUse) {
	for _, m := range ms {
		if v, ok := m.value.(T); ok {
			values, at = append(values, v), append(at, m)
		}
	}
	return values, at
}

// has reports whether there is a marker with one of the names.
func (ms markerUses) has(names ...string) bool {
	return slices.ContainsFunc(ms, func(m markerUse) bool { return slices.Contains(names, m.name) })
}

// faults explains in plain words what is wrong with the text of a marker: the first
// misunderstanding, or else all missing arguments.
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

// arguments lists the arguments of a marker of Strata, the required ones first.
func (d definition) arguments() (required, optional []string) {
	def, err := markers.MakeDefinition(d.name, d.on[0], d.output)
	if err != nil {
		return nil, nil
	}
	for name, argument := range def.Fields {
		if argument.Optional {
			optional = append(optional, name)
		} else {
			required = append(required, name)
		}
	}
	slices.Sort(required)
	slices.Sort(optional)
	return required, optional
}

// example returns an example of a marker, for hints.
func (d definition) example() string {
	required, optional := d.arguments()
	if len(required) == 0 {
		return "+" + d.name
	}
	return fmt.Sprintf("+%s:%s=... (also: %s)", d.name, strings.Join(required, "=...,"), strings.Join(optional, ", "))
}
