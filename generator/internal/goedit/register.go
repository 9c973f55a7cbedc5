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

// Registers reports whether a file has the markers that [Register] needs.
func Registers(src []byte) bool { return importsMarker.Match(src) && schemeMarker.Match(src) }

// Register returns a program that adds a package to its scheme. It reports false, with the program
// as it was, if that has no markers, lacks the import of Must, or imports the package already.
func Register(file string, src []byte, importPath string) ([]byte, bool, error) {
	f, _, err := parse(file, src)
	if err != nil {
		return src, false, err
	}
	must := importedAs(f, "k8s.io/apimachinery/pkg/util/runtime")
	if must == "" || !Registers(src) || importedAs(f, importPath) != "" {
		return src, false, nil
	}
	name := freeName(f, strings.ReplaceAll(strings.ReplaceAll(path.Base(importPath), "-", ""), ".", ""))
	var e edits
	line := strconv.Quote(importPath)
	if name != path.Base(importPath) {
		line = name + " " + line
	}
	e.before(src, importsMarker, line)
	e.before(src, schemeMarker, must+".Must("+name+".AddToScheme(scheme))")
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
