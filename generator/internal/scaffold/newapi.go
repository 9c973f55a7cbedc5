package scaffold

import (
	"fmt"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
)

// NewAPI is an API that the user is about to write in Go, with one kind.
type NewAPI struct {
	Group, Kind string
	Versions    []string // the oldest first; at least one
	Folder      string   // of the Go package; empty for the first label of the group
}

var (
	// A group is a DNS name with a dot: those without belong to Kubernetes.
	groupText   = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$`)
	kindText    = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
	versionText = regexp.MustCompile(`^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$`)
)

// maxName is the longest group or kind: that of a label in the names of CRDs.
const maxName = 63

// ParseNewAPI parses a group and a kind, such as shop.example.com/Widget.
func ParseNewAPI(text string) (*NewAPI, error) {
	group, kind, _ := strings.Cut(text, "/")
	if !groupText.MatchString(group) || !kindText.MatchString(kind) || len(group) > maxName || len(kind) > maxName {
		return nil, diag.Errorf(diag.Pos{}, "%q is not a group and a kind", text).
			WithHint("such as shop.example.com/Widget: a group with a dot, in lower case, and a kind that begins with a capital")
	}
	return &NewAPI{Group: group, Kind: kind}, nil
}

// ParseVersions parses a list of versions such as v1alpha1,v1.
func ParseVersions(text string) ([]string, error) {
	var out []string
	for version := range strings.SplitSeq(text, ",") {
		version = strings.TrimSpace(version)
		if !versionText.MatchString(version) {
			return nil, diag.Errorf(diag.Pos{}, "%q is not a version", version).WithHint("such as v1alpha1, v1beta1 or v1; separate several by commas, the oldest first")
		}
		if slices.Contains(out, version) {
			return nil, diag.Errorf(diag.Pos{}, "the version %s is listed twice", version).WithHint("list each once, such as v1alpha1,v1")
		}
		out = append(out, version)
	}
	return out, nil
}

// firstVersion is the version of an API that has none.
const firstVersion = "v1alpha1"

func (n NewAPI) complete() (*NewAPI, error) {
	if len(n.Versions) == 0 {
		n.Versions = []string{firstVersion}
	}
	if n.Folder == "" {
		n.Folder, _, _ = strings.Cut(n.Group, ".")
	}
	n.Folder = path.Clean(n.Folder)
	if !token.IsIdentifier(n.packageName()) || slices.ContainsFunc(strings.Split(n.Folder, "/"), isReserved) {
		return nil, diag.Errorf(diag.Pos{}, "%q cannot be the name of a Go package", path.Base(n.Folder)).WithHint("give the folder another name with --folder")
	}
	return &n, nil
}

// isReserved reports whether the go command, or strata init, passes over packages of a folder, or
// lets no other package import them.
func isReserved(folder string) bool {
	return folder != "." && folder != ".." && isPassedOver(folder) || folder == "main"
}

// packageName returns the name of the Go package: its folder's, without dashes.
func (n NewAPI) packageName() string { return strings.ReplaceAll(path.Base(n.Folder), "-", "") }

// file returns the first file of the Go package. It has one property in the spec and one in the
// status, for the user to replace.
func (n NewAPI) file() File {
	var versions strings.Builder
	for _, v := range n.Versions {
		fmt.Fprintf(&versions, "// +strata:version:name=%s\n", v)
	}
	body := fmt.Appendf(nil, newAPI, n.packageName(), n.Group, versions.String(), n.packageName(), n.Kind)
	return File{path.Join(n.Folder, strings.ToLower(n.Kind)+".go"), body}
}

const newAPI = `// Package %[1]s declares the latest shape of the API %[2]s. Strata generates its versions.
//
// +groupName=%[2]s
%[3]spackage %[4]s

// %[5]sSpec is the desired state. When a later version changes a field, edit the field. A marker
// such as strata:added or strata:changed then describes its earlier form.
//
// +strata:resource:status=%[5]sStatus
type %[5]sSpec struct {
	// Size is an example. Replace it.
	//
	// +optional
	Size string ` + "`json:\"size,omitempty\"`" + `
}

// %[5]sStatus is the observed state.
type %[5]sStatus struct {
	// Ready is an example. Replace it.
	//
	// +optional
	Ready bool ` + "`json:\"ready,omitempty\"`" + `
}
`
