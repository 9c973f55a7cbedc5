package corpus

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Five are the providers whose generated code every complete run of the tests compiles.
var Five = []string{"Microsoft.Batch", "Microsoft.Storage", "Microsoft.Kusto", "Microsoft.Devices", "Microsoft.DataFactory"}

// ModulePath is the path of every module with generated code. It is the same everywhere, so that
// other checkouts can use the build cache.
const ModulePath = "corpus.strata.test"

// Project is a folder with a strata.yaml and the generated files below it.
type Project struct {
	Dir       string
	Schemas   string         // root of the ARM schemas
	Native    string         // root of definitions of custom resources, in place of ARM schemas
	Releases  []string       // roots of the CRDs of a vendor's releases, in place of Native
	Exclude   []string       // globs below it
	Include   []string       // globs below it
	Types     string         // root of the Bicep types; empty for none
	MoreTypes []string       // further roots of Bicep types, all of which are read
	Typed     []string       // globs below it
	Untyped   []string       // globs of types that are left out below it
	NoARM     bool           // Bicep types alone
	Only      []string       // constraints on the versions that may newly enter the ledger; none admits all
	Kinds     []string       // types that may newly enter the ledger; none admits all
	Env       []string       // for the generator
	NoCRDs    bool           // Go alone
	Metadata  map[string]any // resources of the configuration; nil for none
	Hubs      map[string]any // kinds of the configuration; nil for none
	Like      string         // the workspace's module that a module requires, with what that does; operator/api if empty
}

// Of returns the globs of the schemas of providers, of which none means all.
func Of(providers ...string) []string {
	if len(providers) == 0 {
		return []string{"*/*.json"}
	}
	var globs []string
	for _, provider := range providers {
		globs = append(globs, "*/"+provider+".json")
	}
	return globs
}

// TypesOf returns the globs of the Bicep types of providers, of which none means all.
func TypesOf(providers ...string) []string {
	if len(providers) == 0 {
		return []string{"**/types.json"}
	}
	var globs []string
	for _, provider := range providers {
		globs = append(globs, "**/"+strings.ToLower(provider)+"/*/types.json")
	}
	return globs
}

// Config is the configuration file.
func (p Project) Config() string { return filepath.Join(p.Dir, "strata.yaml") }

// Output is the folder that the generator writes to.
func (p Project) Output() string { return filepath.Join(p.Dir, "api") }

// Write writes the configuration.
func (p Project) Write() error {
	var text strings.Builder
	fmt.Fprintln(&text, "apiVersion: strata.dev/v1alpha1\nkind: Generation\nsources:")
	if p.Releases != nil {
		fmt.Fprintf(&text, "  - crd: {releases: %s, include: %s}\n", quoted(p.Releases), quoted(p.Include))
	} else if p.Native != "" {
		fmt.Fprintf(&text, "  - crd: {root: %s, include: %s, exclude: %s}\n", quoted(p.Native), quoted(p.Include), quoted(append([]string{"none/**"}, p.Exclude...)))
	} else if !p.NoARM {
		fmt.Fprintf(&text, "  - arm: {root: %s, include: %s}\n", quoted(p.Schemas), quoted(p.Include))
	}
	if p.Types != "" {
		fmt.Fprintf(&text, "  - bicep: {root: %s, include: %s", quoted(p.Types), quoted(p.Typed))
		if len(p.Untyped) > 0 {
			fmt.Fprintf(&text, ", exclude: %s", quoted(p.Untyped))
		}
		fmt.Fprintln(&text, "}")
	}
	for _, root := range p.MoreTypes {
		fmt.Fprintf(&text, "  - bicep: {root: %s}\n", quoted(root))
	}
	only := map[string][]string{}
	if len(p.Only) > 0 {
		only["versions"] = p.Only
	}
	if len(p.Kinds) > 0 {
		only["resources"] = p.Kinds
	}
	if len(only) > 0 {
		fmt.Fprintf(&text, "only: %s\n", quoted(only))
	}
	fmt.Fprintf(&text, "output: {dir: api, module: %s/api, crds: %t}\n", ModulePath, !p.NoCRDs)
	if len(p.Metadata) > 0 {
		fmt.Fprintf(&text, "resources: %s\n", quoted(p.Metadata))
	}
	if len(p.Hubs) > 0 {
		fmt.Fprintf(&text, "kinds: %s\n", quoted(p.Hubs))
	}
	if p.Native == "" && p.Releases == nil {
		fmt.Fprintln(&text, "groups: {suffix: example.com}")
	}
	if err := os.MkdirAll(p.Dir, 0o755); err != nil {
		return fmt.Errorf("write project: %w", err)
	}
	if err := os.WriteFile(p.Config(), []byte(text.String()), 0o644); err != nil {
		return fmt.Errorf("write project: %w", err)
	}
	return nil
}

// quoted writes strings in JSON, which is YAML as well.
func quoted(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // strings always have a JSON form
	}
	return string(text)
}

// environ gives the generator a cache folder that goes with the project. It is named in each way
// that a system knows.
func (p Project) environ() []string {
	cache := filepath.Join(p.Dir, "cache")
	return append([]string{"XDG_CACHE_HOME=" + cache, "HOME=" + cache, "LocalAppData=" + cache}, p.Env...)
}
