package goedit

import (
	"path"
	"regexp"
	"strconv"
	"strings"
)

// The markers of kubebuilder where packages are registered.
var (
	importsMarker = regexp.MustCompile(`(?m)^([ \t]*)// ?\+kubebuilder:scaffold:imports\b.*$`)
	schemeMarker  = regexp.MustCompile(`(?m)^([ \t]*)// ?\+kubebuilder:scaffold:scheme\b.*$`)
)

// adder is the function by which a package of an API adds its types to a scheme.
const adder = "AddToScheme"

// addition matches where it is called, or passed on.
var addition = regexp.MustCompile(`\.` + adder + `[(),]`)

// Registers reports whether a file may register packages, so that [Register] should read it.
func Registers(src []byte) bool {
	return addition.Match(src) || hasMarkers(src)
}

func hasMarkers(src []byte) bool { return importsMarker.Match(src) && schemeMarker.Match(src) }

// Register returns a program that adds a package to its scheme: where kubebuilder's markers are,
// or else beside the code that adds the known packages, in the same way. It reports whether the
// program registers the package, which it may have done before.
func Register(file string, src []byte, importPath string, known []string) ([]byte, bool, error) {
	f, fset, err := parse(file, src)
	if err != nil {
		return src, false, err
	}
	if importedAs(f, importPath) != "" {
		return src, true, nil
	}
	name := freeName(f, strings.ReplaceAll(strings.ReplaceAll(path.Base(importPath), "-", ""), ".", ""))
	alias := name
	if name == path.Base(importPath) {
		alias = ""
	}
	var e edits
	must := importedAs(f, "k8s.io/apimachinery/pkg/util/runtime")
	switch added := e.besideKnown(f, fset, src, name, packagesOf(f, known)); {
	case must != "" && hasMarkers(src):
		e = nil
		e.before(src, importsMarker, strings.TrimSpace(alias+" "+strconv.Quote(importPath)))
		e.before(src, schemeMarker, must+".Must("+name+"."+adder+"(scheme))")
	case added:
		e.addImport(f, fset, alias, importPath)
	default:
		return src, false, nil
	}
	body, err := e.apply(file, src)
	if err != nil {
		return src, false, err
	}
	return body, true, nil
}

// before inserts a line before the marker, with its indentation.
func (e *edits) before(src []byte, marker *regexp.Regexp, line string) {
	m := marker.FindSubmatchIndex(src)
	e.replace(m[0], m[0], string(src[m[2]:m[3]])+line+"\n")
}
