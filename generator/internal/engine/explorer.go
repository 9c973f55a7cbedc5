package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/emit/explorer"
	"github.com/stratakube/strata/generator/internal/emit/planfile"
	"github.com/stratakube/strata/generator/internal/output"
	"github.com/stratakube/strata/generator/internal/pageserver"
	"github.com/stratakube/strata/generator/internal/plan"
	"github.com/stratakube/strata/generator/internal/subprocess"
)

// Explorer writes pages that show the history of each group, or serves them. It removes pages of
// groups that an earlier run wrote and that are gone.
func (Engine) Explorer(ctx context.Context, r ExplorerRequest) error {
	c, err := config.Read(r.Config, r.Sources)
	if err != nil {
		return err
	}
	planned, err := newRun(r.Request, c).toPlan(ctx, planOptions{})
	if err != nil {
		return err
	}
	var histories []*explorer.History
	for _, g := range planned.plan.Groups {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		histories = append(histories, explorer.New(g))
	}
	if err := r.count(ctx, histories); err != nil {
		return err
	}
	var objects *explorer.Objects
	if r.Convert {
		if objects, err = r.objects(ctx, planned.plan); err != nil {
			return err
		}
	}
	pages, err := explorer.Files(ctx, histories, objects)
	if err != nil {
		return err
	}
	if r.Serve {
		return r.serve(ctx, pages)
	}
	var files []output.File
	for _, p := range pages {
		files = append(files, output.File(p))
	}
	return writeFolder(ctx, r.Request, r.Dir, files, r.Out)
}

// serve serves the pages until the context ends, which is no error.
func (r *ExplorerRequest) serve(ctx context.Context, files []explorer.File) error {
	var pages []pageserver.Page
	for _, f := range files {
		pages = append(pages, pageserver.Page(f))
	}
	r.Progress.Done()
	return pageserver.Serve(ctx, pages, explorer.Index, r.Port, func(url string) error {
		_, err := fmt.Fprintf(r.Out, "serving %s until an interrupt\n", url)
		return err
	})
}

// counted describes the versions of a kind in a cluster, as strata cluster versions prints it.
type counted struct {
	Objects  int
	Versions []struct {
		Name      string
		Served    bool
		Originals int
	}
}

// count adds to histories what a cluster has of their kinds. Kinds that it lacks stay without.
func (r *ExplorerRequest) count(ctx context.Context, histories []*explorer.History) error {
	if r.From == "" {
		return nil
	}
	name, isCluster := strings.CutPrefix(r.From, kubeScheme)
	if !isCluster {
		return diag.Errorf(diag.Pos{}, "--from takes a cluster, and not %s", r.From).WithPaste("  strata explorer --from kube://my-context\n")
	}
	r.Progress.Stage("counting objects", 0)
	var groups []string
	for _, h := range histories {
		groups = append(groups, h.Group)
	}
	text, err := r.Cluster(ctx, nil, slices.Concat([]string{"crds"}, inCluster(name), groups)...)
	if err != nil {
		return err
	}
	installed, err := namesIn(text)
	if err != nil {
		return err
	}
	for _, h := range histories {
		for _, k := range h.Kinds {
			crd := k.Plural + "." + h.Group
			if !slices.Contains(installed, crd) {
				continue
			}
			text, err := r.Cluster(ctx, nil, slices.Concat([]string{"versions", crd, "--output=json"}, inCluster(name))...)
			if err != nil {
				return err
			}
			var of counted
			if err := json.Unmarshal(text, &of); err != nil {
				return diag.Errorf(diag.Pos{}, "strata cluster versions gave no JSON: %v", err).WithHint("install strata and strata-cluster of one release")
			}
			of.addTo(k)
		}
	}
	return nil
}

// addTo adds the numbers of a kind's objects to its history.
func (c *counted) addTo(k *explorer.Kind) {
	k.Live = &explorer.Live{Objects: c.Objects}
	for _, v := range k.Versions {
		n := 0
		for _, in := range c.Versions {
			if in.Name == v.Label {
				n = in.Originals
			}
		}
		k.Live.Originals = append(k.Live.Originals, n)
	}
}

// namesIn returns the names of the CRDs in the documents of a text.
func namesIn(text []byte) ([]string, error) {
	docs, err := clusterCRDs(text)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, d := range docs {
		out = append(out, d.Member("metadata").Member("name").Text())
	}
	return out, nil
}

// objects returns what pages need to convert objects.
func (r *ExplorerRequest) objects(ctx context.Context, p *plan.Plan) (*explorer.Objects, error) {
	files, err := planfile.Files(ctx, p)
	if err != nil {
		return nil, err
	}
	out := &explorer.Objects{Plans: map[string][]byte{}}
	for _, f := range files {
		out.Plans[f.Group.Chain.Folder] = f.Body
	}
	r.Progress.Stage("compiling the program that converts objects", 0)
	out.Program, err = converter(ctx, filepath.Dir(r.Config))
	return out, err
}

// inPage is the package of the program that converts objects in pages.
const inPage = "github.com/stratakube/strata/generator/internal/conversion/inpage"

// converter compiles the program that converts objects, with the go command and the modules of a
// folder. The same modules and the same Go version give the same bytes.
func converter(ctx context.Context, folder string) ([]byte, error) {
	temp, err := os.MkdirTemp("", "strata-explorer-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	root, err := goCommand(ctx, folder, temp, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	file := filepath.Join(temp, "program")
	if _, err := goCommand(ctx, folder, temp, "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", file, inPage); err != nil {
		return nil, err
	}
	support, err := os.ReadFile(filepath.Join(strings.TrimSpace(root), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, diag.Errorf(diag.Pos{}, "the Go distribution lacks the script that runs WebAssembly: %v", err).WithHint("install Go from go.dev")
	}
	program, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return explorer.Converter(support, program)
}

// goCommand runs the go command for WebAssembly, and returns what it prints.
func goCommand(ctx context.Context, folder, temp string, args ...string) (string, error) {
	c := subprocess.New(ctx, folder, "go", args...)
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOTMPDIR="+temp) // removed even after a kill
	text, err := c.Print()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", diag.Errorf(diag.Pos{}, "the program that converts objects cannot be compiled: %v\n%s", err, strings.TrimSpace(c.Errors.String())).
			WithHint("--convert needs Go, and a module that has strata as a tool: go get -tool github.com/stratakube/strata/generator/cmd/strata")
	}
	return string(text), nil
}

// explorerOf returns the function for [diff.Link]; nil without an address of pages.
func explorerOf(base string, groups []*chain.Group) func(group, kind, from, to string) string {
	if base == "" {
		return nil
	}
	folders := map[string]string{}
	for _, g := range groups {
		folders[g.Name] = g.Folder
	}
	return func(group, kind, from, to string) string {
		return explorer.Compared(base, folders[group], kind, from, to)
	}
}
