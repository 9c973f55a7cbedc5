package scaffold

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/syntax/yaml"
)

// Build is what builds and installs the CRDs of Go packages in a project of kubebuilder. Paths are
// relative to the project's folder, with slashes; empty if there is no such file.
type Build struct {
	Makefile      string
	Kustomization string   // of the CRDs
	Suites        []string // tests that start envtest with CRDs
	// Service and Certificate are the webhook's service and the certificate of its CA, as
	// namespace/name in a cluster; empty if the project deploys none.
	Service, Certificate string
	// Edits is the number of these files that strata init --write would change.
	Edits int

	crds   []string // the files of CRDs that are made from the packages
	groups []string // of the packages
	others bool     // whether CRDs of other kinds are in the same folder
}

// The folders of kubebuilder.
const (
	crdFolder = "config/crd"
	// CRDBases is the folder in which controller-gen writes CRDs.
	CRDBases = crdFolder + "/bases"
)

// build finds out how a project builds and installs its CRDs.
func (f *Found) build(dir string, l looking) error {
	f.Build.Suites = l.suites
	for _, file := range l.crds {
		switch isMade := len(file.kinds) > 0 && !slices.ContainsFunc(file.kinds, func(k GroupKind) bool { return !f.declares(k) }); {
		case path.Dir(file.name) != CRDBases:
		case isMade:
			f.Build.crds = append(f.Build.crds, file.name)
		default:
			f.Build.others = true
		}
	}
	for _, p := range f.Packages {
		if p.Group != "" {
			f.Build.groups = appendNew(f.Build.groups, p.Group)
		}
	}
	if info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(crdFolder), "kustomization.yaml")); err == nil && info.Mode().IsRegular() {
		f.Build.Kustomization = crdFolder + "/kustomization.yaml"
	}
	return f.Build.deployed(dir)
}

// Replaces reports whether a path that the kustomization of CRDs names is a CRD that controller-gen
// makes from the packages. Such a file may be missing: it has the group in its name.
func (b Build) Replaces(name string) bool {
	name = path.Join(crdFolder, name)
	return slices.Contains(b.crds, name) || slices.ContainsFunc(b.groups, func(group string) bool {
		return !b.others && path.Ext(name) == ".yaml" && strings.HasPrefix(name, CRDBases+"/"+group+"_")
	})
}

var conversionPatch = regexp.MustCompile(`^patches/(webhook|cainjection)_in_[^/]*\.ya?ml$`)

// Patches reports whether a path that the kustomization of CRDs names is a patch that adds the
// webhook or its CA, which the generated CRDs have.
func (b Build) Patches(name string) bool { return conversionPatch.MatchString(name) && !b.others }

// MixesCRDs reports whether the folder of CRDs has those of other kinds, too.
func (b Build) MixesCRDs() bool { return b.others }

// kustomization has the members of a kustomization.yaml that name what a cluster gets.
type kustomization struct {
	Namespace  string   `yaml:"namespace"`
	NamePrefix string   `yaml:"namePrefix"`
	NameSuffix string   `yaml:"nameSuffix"`
	Resources  []string `yaml:"resources"`
	Bases      []string `yaml:"bases"`
}

// manifest has the members of a manifest that find a service or a certificate.
type manifest struct {
	Kind     string `yaml:"kind"`
	Metadata struct {
		Name string `yaml:"name"`
	} `yaml:"metadata"`
	Spec struct {
		SecretName string `yaml:"secretName"`
	} `yaml:"spec"`
}

// deployed finds the webhook's service and its certificate in what config/default deploys. Files
// that are no YAML are ignored: Kustomize reports them.
func (b *Build) deployed(dir string) error {
	var k kustomization
	text, err := read(dir, "config/default/kustomization.yaml")
	if err != nil || text == nil || yaml.Unmarshal(text, &k) != nil || k.Namespace == "" {
		return err
	}
	named := func(m *manifest) string {
		if m == nil {
			return ""
		}
		return k.Namespace + "/" + k.NamePrefix + m.Metadata.Name + k.NameSuffix
	}
	deploys := func(folder string) bool { return slices.Contains(append(k.Resources, k.Bases...), "../"+folder) }
	if deploys("webhook") {
		found, err := manifests(dir, "config/webhook", "Service")
		if err != nil {
			return err
		}
		b.Service = named(only(found, func(m manifest) bool { return m.Metadata.Name == "webhook-service" }))
	}
	if b.Service != "" && deploys("certmanager") {
		found, err := manifests(dir, "config/certmanager", "Certificate")
		if err != nil {
			return err
		}
		b.Certificate = named(only(found, func(m manifest) bool {
			return m.Metadata.Name == "serving-cert" || m.Spec.SecretName == "webhook-server-cert"
		}))
	}
	return nil
}

// only returns the one manifest, or the one with kubebuilder's names among several.
func only(all []manifest, isUsual func(manifest) bool) *manifest {
	if len(all) != 1 {
		all = slices.DeleteFunc(all, func(m manifest) bool { return !isUsual(m) })
	}
	if len(all) != 1 || all[0].Metadata.Name == "" {
		return nil
	}
	return &all[0]
}

// manifests returns the manifests of a kind in a folder.
func manifests(dir, folder, kind string) ([]manifest, error) {
	entries, err := os.ReadDir(filepath.Join(dir, filepath.FromSlash(folder)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []manifest
	for _, entry := range entries {
		if path.Ext(entry.Name()) != ".yaml" {
			continue
		}
		text, err := read(dir, path.Join(folder, entry.Name()))
		if err != nil {
			return nil, err
		}
		for _, document := range documents(entry.Name(), text) {
			var m manifest
			if yaml.Unmarshal(document, &m) == nil && m.Kind == kind {
				out = append(out, m)
			}
		}
	}
	return out, err
}

// read returns the beginning of a regular file; nil if there is none.
func read(dir, name string) ([]byte, error) {
	file := filepath.Join(dir, filepath.FromSlash(name))
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() {
		return nil, nil //nolint:nilerr // it is not there
	}
	return beginning(file, maxBeginning)
}
