package engine

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/emit/explorer"
	"github.com/stratakube/strata/generator/internal/emit/planfile"
	"github.com/stratakube/strata/generator/internal/output"
	"github.com/stratakube/strata/generator/internal/plan"
	"github.com/stratakube/strata/generator/internal/subprocess"
)

// Explorer writes pages that show the history of each group. It removes pages of groups that an
// earlier run wrote and that are gone.
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
	var files []output.File
	for _, p := range pages {
		files = append(files, output.File(p))
	}
	return writeFolder(ctx, r.Request, r.Dir, files, r.Out)
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
