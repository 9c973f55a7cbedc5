package standalone

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/pack"
)

// DownloadForUser downloads what a new module needs that imports the packages of m: it runs
// `go mod tidy`, as users do. This command also reads the modules that only the tests of imported
// packages need.
func DownloadForUser(ctx context.Context, m modules.Module, proxy *pack.Proxy) error {
	imports, err := importable(ctx, m)
	if err != nil || imports == "" {
		return err
	}
	mod, err := requiring(m, proxy)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "strata-user-*")
	if err != nil {
		return fmt.Errorf("make a user of %s: %w", m.Path, err)
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{"go.mod": string(mod), "user.go": "package user\n\n" + imports} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return fmt.Errorf("make a user of %s: %w", m.Path, err)
		}
	}
	env, err := proxy.Environ(ctx)
	if err != nil {
		return err
	}
	_, err = command.In{Dir: dir, Env: env}.Output(ctx, "go", "mod", "tidy")
	return err
}

// requiring returns the go.mod of a new module that requires m as the proxy serves it.
func requiring(m modules.Module, proxy *pack.Proxy) ([]byte, error) {
	own, err := modules.ReadMod(m.Dir)
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("module example.com/user\n\ngo %s\n\nrequire %s %s\n", own.Go.Version, m.Path, modules.Unpublished)
	mod, err := modules.ParseMod("go.mod", []byte(text))
	if err != nil {
		return nil, err
	}
	if err := proxy.Require(mod); err != nil {
		return nil, err
	}
	return mod.Format()
}

// importable returns import declarations of the packages of m that other modules can import.
func importable(ctx context.Context, m modules.Module) (string, error) {
	listed, err := command.In{Dir: m.Dir}.Output(ctx, "go", "list", "-f", `{{if ne .Name "main"}}{{.ImportPath}}{{end}}`, "./...")
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for path := range strings.FieldsSeq(listed) {
		if !slices.Contains(strings.Split(path, "/"), "internal") {
			fmt.Fprintf(&out, "import _ %q\n", path)
		}
	}
	return out.String(), nil
}
