package scaffold

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
)

// Kinds are the kinds of sources, in the order of the questions.
var Kinds = []string{"go", "crd", "openapi", "arm", "bicep"}

// Choices configure a new project.
type Choices struct {
	// New is an API that the user is about to write in Go; nil if its sources exist.
	New      *NewAPI
	GoModule string   // the module for which a go.mod is written; empty for none
	Sources  []Source // at least one
	Output   string   // the folder of generated code
	Module   string   // its import path
	Suffix   string   // of groups; empty if all sources set theirs
	Webhook  string   // the folder of a program that serves conversions; empty for none

	// Operator is the folder of a program that reconciles resources of an external API; empty for
	// none. With it there is also a webhook, and what builds images and a package of both.
	Operator string

	// Write sets whether the user's files are edited.
	Write bool

	// Kustomization sets whether the output has a kustomization of its CRDs. Service and Certificate
	// are the webhook's in a cluster, as namespace/name; empty for the defaults.
	Kustomization        bool
	Service, Certificate string

	// Checkout is the folder of a checkout of Strata, relative to the project's; go.work then uses
	// its modules. Empty for released modules.
	Checkout string
	// goVersion is the version of Go that the project and the checkout require.
	goVersion string
	// required are the versions at which modules of the checkout require one another.
	required map[string]string
	// work is the go.work of the project's folder; nil if it has none.
	work []byte
}

// ParseSource parses a source such as go=./shop or crd=config/crd.
func ParseSource(text string) (Source, error) {
	kind, where, ok := strings.Cut(text, "=")
	if !ok || where == "" {
		return Source{}, diag.Errorf(diag.Pos{}, "%q is not a source", text).WithHint("a kind and a folder, such as go=./shop or crd=config/crd; kinds are %s", strings.Join(Kinds, ", "))
	}
	if !slices.Contains(Kinds, kind) {
		m := diag.Errorf(diag.Pos{}, "there is no kind of source %q", kind)
		if near := diag.Nearest(kind, Kinds); near != "" {
			return Source{}, m.WithHint("did you mean %q?", near)
		}
		return Source{}, m.WithHint("kinds are %s", strings.Join(Kinds, ", "))
	}
	return Source{Kind: kind, Path: path.Clean(where)}, nil
}

// String returns the source in the form of ParseSource.
func (s Source) String() string { return s.Kind + "=" + s.spelled() }

// spelled returns the folder as in the configuration. That of a package has the form of the go
// command.
func (s Source) spelled() string {
	if s.Kind != "go" || s.Path == "." || strings.HasPrefix(s.Path, "../") {
		return s.Path
	}
	return "./" + s.Path
}

// folder returns the folder of the source.
func (s Source) folder() string {
	if s.Path == "..." {
		return "."
	}
	return strings.TrimSuffix(s.Path, "/...")
}

// NeedsSuffix reports whether the groups of sources need a suffix.
func NeedsSuffix(sources []Source) bool {
	return slices.ContainsFunc(sources, isExternal)
}

// isExternal reports whether a source describes an external API, and not one of Kubernetes.
func isExternal(s Source) bool { return s.Kind != "go" && s.Kind != "crd" }

// APIFolder is the default folder of generated code.
const APIFolder = "api"

// Complete sets what was not chosen, based on what was found. What cannot be determined is an
// error.
func (c Choices) Complete(found *Found) (Choices, error) {
	if c.New != nil {
		if len(c.Sources) > 0 {
			return c, diag.Errorf(diag.Pos{}, "a new API and --source exclude each other").WithHint("--new writes the Go package; --source names what exists")
		}
		completed, err := c.New.complete()
		if err != nil {
			return c, err
		}
		c.New, c.Sources = completed, []Source{{Kind: "go", Path: completed.Folder}}
	}
	if len(c.Sources) == 0 {
		c.Sources = found.Sources
	}
	if len(c.Sources) == 0 {
		return c, diag.Errorf(diag.Pos{}, "there is nothing here to generate from").
			WithHint("name it, such as --source go=./shop or --source crd=config/crd; or begin a new API, such as --new shop.example.com/Widget")
	}
	if c.Output == "" {
		c.Output = freeFolder(c.Sources, found.folders)
	}
	if c.GoModule != "" && found.Module != "" {
		return c, diag.Errorf(diag.Pos{}, "the folder is in the Go module of %s already", found.Module).WithHint("leave --go-module out")
	}
	if c.GoModule != "" && !modulePath.MatchString(c.GoModule) {
		return c, diag.Errorf(diag.Pos{}, "%q cannot be the path of a Go module", c.GoModule).WithHint("such as example.com/demo")
	}
	if c.Module == "" && found.Module+c.GoModule == "" {
		return c, diag.Errorf(diag.Pos{}, "the folder is in no Go module").WithHint("--go-module example.com/demo makes one, as go mod init example.com/demo does; or give the import path of the output with --module")
	}
	if c.Module == "" {
		c.Module = path.Join(found.Module+c.GoModule, c.Output)
	}
	if c.Suffix == "" && NeedsSuffix(c.Sources) {
		c.Suffix = "example.com"
	}
	if c.Operator != "" && !NeedsSuffix(c.Sources) {
		return c, diag.Errorf(diag.Pos{}, "an operator manages resources of an external API, and these sources have none").
			WithHint("--operator is for sources arm, bicep and openapi")
	}
	if c.Operator != "" && c.Webhook == "" {
		c.Webhook = "cmd/webhook"
	}
	if c.ReadsKinds(found) && c.Operator == "" {
		c.Kustomization = found.Build.Kustomization != ""
		c.Service, c.Certificate = found.Build.Service, found.Build.Certificate
	}
	return c, nil
}

// modulePath matches paths that the go command accepts in a go.mod.
var modulePath = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._~-]*(/[A-Za-z0-9_][A-Za-z0-9._~-]*)*$`)

// freeFolder returns the folder of the output: the first candidate that contains no source, and
// nothing else that the user wrote. A folder api beside one that is called apis would be confusing.
func freeFolder(sources []Source, folders []string) string {
	for _, folder := range []string{APIFolder, "versions", "generated"} {
		isTaken := func(s Source) bool {
			return isBelow(s.Path+"/", folder) || folder == APIFolder && isBelow(s.Path+"/", "apis")
		}
		if !slices.Contains(folders, folder) && !slices.ContainsFunc(sources, isTaken) {
			return folder
		}
	}
	return "generated-by-strata"
}
