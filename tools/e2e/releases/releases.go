package releases

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/programs"
)

// Release is a release of the worked example.
type Release struct {
	Last string // the last version of its schemas, as in 2018-08-08
	API  string // the folder of its generated module
	work string // the go.work of its programs
	root string // the folder of the workspace
}

// example is the module of the worked example.
const example = "operator/api"

// written are the hand-written files of the worked example, each with the version that it needs.
var written = map[string]string{
	"crm/v20130303/storage/person_names.go":          "2014-04-04",
	"crm/v20180808/storage/compat/person_address.go": "2019-09-09",
}

// Make generates releases into dir. Each has the schemas up to its last version, and inherits the
// ledger of the release before. The current folder is in the workspace.
func Make(ctx context.Context, dir string, last ...string) ([]Release, error) {
	w, err := modules.Find(".")
	if err != nil {
		return nil, err
	}
	strata := filepath.Join(dir, "strata")
	if err := programs.Build(ctx, command.In{Dir: w.Root}, strata, "./generator/cmd/strata"); err != nil {
		return nil, err
	}
	var out []Release
	for _, version := range last {
		r := Release{Last: version, API: filepath.Join(dir, version, "api"), work: filepath.Join(dir, version, "go.work"), root: w.Root}
		if len(out) > 0 {
			if err := os.CopyFS(filepath.Join(r.API, "ledger"), os.DirFS(filepath.Join(out[len(out)-1].API, "ledger"))); err != nil {
				return nil, err
			}
		}
		if err := errors.Join(r.copySchemas(), r.copyWritten(), r.writeWork(w)); err != nil {
			return nil, fmt.Errorf("release %s: %w", version, err)
		}
		if _, err := (command.In{Dir: r.schemas()}).Output(ctx, strata, "generate"); err != nil {
			return nil, fmt.Errorf("release %s: %w", version, err)
		}
		out = append(out, r)
	}
	return out, nil
}

func (r Release) schemas() string { return filepath.Join(filepath.Dir(r.API), "schemas") }

// CRDs is the folder of the CRDs.
func (r Release) CRDs() string { return filepath.Join(r.API, "crds") }

var dated = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}`)

// isLater reports whether a source's version, or its folder, is not in the release.
func (r Release) isLater(version string) bool {
	date := dated.FindString(version)
	return date > r.Last
}

// copySchemas copies the schemas of the release, and the part of strata.yaml that is about them.
func (r Release) copySchemas() error {
	from := filepath.Join(r.root, "schemas", "crm")
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() || r.isLater(e.Name()) {
			continue
		}
		if err := os.CopyFS(filepath.Join(r.schemas(), e.Name()), os.DirFS(filepath.Join(from, e.Name()))); err != nil {
			return err
		}
	}
	text, err := os.ReadFile(filepath.Join(from, "strata.yaml"))
	if err != nil {
		return err
	}
	var config map[string]any
	if err := yaml.Unmarshal(text, &config); err != nil {
		return err
	}
	config["output"].(map[string]any)["dir"] = "../api"
	crm := config["resources"].(map[string]any)["crm"].(map[string]any)
	maps.DeleteFunc(crm, func(version string, _ any) bool { // what the next version has otherwise
		return version >= r.Last
	})
	if text, err = yaml.Marshal(config); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.schemas(), "strata.yaml"), text, 0o600)
}

// copyWritten copies the hand-written files of versions that the release has, and the files of the
// module.
func (r Release) copyWritten() error {
	files := []string{"go.mod", "go.sum"}
	for file, needs := range written {
		if needs <= r.Last {
			files = append(files, file)
		}
	}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(r.root, example, filepath.FromSlash(file)))
		if err != nil {
			return err
		}
		to := filepath.Join(r.API, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(to, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// writeWork writes a workspace with this release in place of the worked example.
func (r Release) writeWork(w *modules.Workspace) error {
	text, err := os.ReadFile(filepath.Join(w.Root, "go.work"))
	if err != nil {
		return err
	}
	absolute := regexp.MustCompile(`(\s)\./(\S+)`).ReplaceAllStringFunc(string(text), func(path string) string {
		dir := strings.TrimSpace(path)
		if dir == "./"+example {
			return path[:1] + r.API
		}
		return path[:1] + filepath.Join(w.Root, dir)
	})
	if err := os.WriteFile(r.work, []byte(absolute), 0o600); err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(w.Root, "go.work.sum"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(r.work+".sum", sums, 0o600)
}

// Webhook builds the webhook of the release, and returns its file.
func (r Release) Webhook(ctx context.Context) (string, error) {
	return r.build(ctx, "strata-webhook")
}

// Operator builds the operator of the release, and returns its file.
func (r Release) Operator(ctx context.Context) (string, error) {
	return r.build(ctx, "strata-operator")
}

func (r Release) build(ctx context.Context, name string) (string, error) {
	file := filepath.Join(filepath.Dir(r.API), name)
	in := command.In{Dir: r.root, Env: []string{"GOWORK=" + r.work}}
	return file, programs.Build(ctx, in, file, "./operator/cmd/"+name)
}
