package code

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/corpus"
)

// peerPath is the import path of the packages of Azure Service Operator.
const peerPath = "github.com/Azure/azure-service-operator/v2"

// Peer has the generated packages of Azure Service Operator.
type Peer struct {
	Version  string
	mod, sum []byte // of the module that requires it
	api      string // the folder of its packages
}

// OpenPeer finds the packages by the requirements of a module in a folder. It downloads them where
// the module cache lacks them.
func OpenPeer(ctx context.Context, module string) (p Peer, err error) {
	if p.mod, err = os.ReadFile(filepath.Join(module, "go.mod")); err != nil {
		return p, fmt.Errorf("open peer: %w", err)
	}
	if p.sum, err = os.ReadFile(filepath.Join(module, "go.sum")); err != nil {
		return p, fmt.Errorf("open peer: %w", err)
	}
	in := command.In{Dir: module, Env: corpus.GoEnv}
	if err := in.Go(ctx, "mod", "download", peerPath); err != nil {
		return p, err
	}
	printed, err := in.Output(ctx, "go", "list", "-m", "-f={{.Version}} {{.Dir}}", peerPath)
	version, dir, _ := strings.Cut(strings.TrimSpace(printed), " ")
	p.Version, p.api = version, filepath.Join(dir, "api")
	return p, err
}

// group has the resources of a group of the peer, by the names of its packages.
type group map[string][]corpus.ID

// uri is how the peer's generator comments on a resource.
var uri = regexp.MustCompile(`(?m)^// - ARM URI: \S*/providers/(\S+)$`)

// groups reads the comments of the generator, by the names of groups.
func (p Peer) groups() (map[string]group, error) {
	all := map[string]group{}
	err := filepath.WalkDir(p.api, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, "_types_gen.go") {
			return err
		}
		below, err := filepath.Rel(p.api, file)
		if err != nil {
			return err
		}
		parts := strings.Split(filepath.ToSlash(below), "/")
		date, isDated := dateOf(parts[min(1, len(parts)-1)])
		if len(parts) != 3 || !isDated { // storage types are one folder deeper
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, match := range uri.FindAllStringSubmatch(string(text), -1) {
			id := corpus.NewID(typeOf(match[1]), date)
			if all[parts[0]] == nil {
				all[parts[0]] = group{}
			}
			if of := all[parts[0]]; !slices.Contains(of[parts[1]], id) {
				of[parts[1]] = append(of[parts[1]], id)
			}
		}
		return nil
	})
	if err == nil && len(all) == 0 {
		err = errors.New("there are none")
	}
	if err != nil {
		return nil, fmt.Errorf("read resources of peer: %w", err)
	}
	return all, nil
}

// dated is a package of a version, such as v1api20220131preview.
var dated = regexp.MustCompile(`^v1api(\d{4})(\d\d)(\d\d)(preview)?$`)

// dateOf returns the API version of a package.
func dateOf(name string) (string, bool) {
	m := dated.FindStringSubmatch(name)
	if m == nil {
		return "", false
	}
	date := m[1] + "-" + m[2] + "-" + m[3]
	if m[4] != "" {
		date += "-" + m[4]
	}
	return date, true
}

// typeOf returns the resource type of a path such as
// Microsoft.Storage/storageAccounts/{name}/blobServices/default.
func typeOf(path string) string {
	parts := strings.Split(path, "/")
	out := parts[:1:1]
	for i := 1; i < len(parts); i += 2 {
		out = append(out, parts[i])
	}
	return strings.Join(out, "/")
}

// code returns the code of groups, in a new module in a folder.
func (p Peer) code(dir string, groups map[string]group) (Code, error) {
	c := Code{Name: "Azure Service Operator", Prefix: peerPath + "/api/", Dir: dir}
	for name, of := range groups {
		for version, resources := range of {
			path := c.Prefix + name + "/" + version
			c.Packages = append(c.Packages, path, path+"/storage")
			c.Versions += len(resources)
		}
	}
	slices.Sort(c.Packages)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return c, fmt.Errorf("write module of peer: %w", err)
	}
	err := errors.Join(
		os.WriteFile(filepath.Join(dir, "go.mod"), p.mod, 0o644),
		os.WriteFile(filepath.Join(dir, "go.sum"), p.sum, 0o644),
	)
	if err != nil {
		return c, fmt.Errorf("write module of peer: %w", err)
	}
	return c, nil
}
