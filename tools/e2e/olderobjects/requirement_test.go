package olderobjects_test

import (
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// requirement is what `strata check` lists of a version.
type requirement struct {
	Group, Kind, Version, Older, Path, What, Text string
}

var (
	indices = regexp.MustCompile(`\[\d+\]`)
	keys    = regexp.MustCompile(`\[([^\]]+)\]`)
)

// isAbout reports whether a requirement is one of the versions between those of an object and of
// its writer.
func (r requirement) isAbout(w *written) bool {
	folder := strings.ReplaceAll(w.Spec.Group, ".", "-")
	return r.Kind == w.Spec.Names.Kind && (r.Group == folder || strings.HasPrefix(folder, r.Group+"-")) && slices.Contains(w.later, labelOf(r.Version))
}

// explains reports whether a requirement is why a version does not allow an object.
func (r requirement) explains(w *written, err *field.Error) bool {
	if !r.isAbout(w) {
		return false
	}
	path := keys.ReplaceAllString(indices.ReplaceAllString(err.Field, "[]"), ".$1")
	is := strings.Split(strings.TrimPrefix(strings.TrimPrefix(path, "spec."), "spec"), ".")
	if r.What == "rule" {
		return err.Type != field.ErrorTypeRequired && covers(is[:min(len(is), len(strings.Split(r.Path, ".")))], r.Path)
	}
	required := err.Type == field.ErrorTypeRequired
	return required == (r.What == "required") && (covers(is, r.Path) || !required && covers(within(is), r.Path))
}

// lacks reports whether a rule fails because it reads the member that a requirement is about.
func (r requirement) lacks(w *written, err *field.Error) bool {
	name := missing(err)
	return name != "" && r.What == "required" && r.isAbout(w) && strings.HasSuffix("."+r.Path, "."+name)
}

// missing returns the member that a rule reads and does not find.
func missing(err *field.Error) string {
	_, text, _ := strings.Cut(err.Detail, "no such key: ")
	name, _, _ := strings.Cut(text, " ")
	return name
}

// within returns the path of the list or the map that a value is in.
func within(path []string) []string {
	last := path[len(path)-1]
	if list, is := strings.CutSuffix(last, "[]"); is {
		return append(slices.Clone(path[:len(path)-1]), list)
	}
	return path[:len(path)-1]
}

// covers reports whether a path of a requirement is a path. A star stands for any key.
func covers(path []string, of string) bool {
	return slices.EqualFunc(path, strings.Split(of, "."), func(is, want string) bool { return is == want || want == "*" })
}

// labelOf returns the Kubernetes name of a source's version.
func labelOf(version string) string {
	if strings.HasPrefix(version, "v") {
		return version
	}
	return "v" + strings.ReplaceAll(version, "-", "")
}
