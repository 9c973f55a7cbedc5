package config

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/syntax/yaml"
	"github.com/stratakube/strata/generator/internal/version"
)

// document decodes the whole file.
func (d *decoder) document(v value) {
	var installs, groups *value
	d.object(v, "",
		required("apiVersion", func(v value) { d.fixed(v, APIVersion) }),
		required("kind", func(v value) { d.fixed(v, Kind) }),
		required("sources", d.sources),
		key("only", d.only),
		required("output", d.output),
		key("groups", func(v value) { d.groups(v); groups = &v }),
		key("versions", d.versions),
		key("kinds", d.kinds),
		key("resources", d.resources),
		key("names", func(v value) { d.config.Names = d.goNames(v) }),
		key("types", d.typeChoices),
		key("properties", d.rulesOfProperties),
		key("check", d.check),
		key("findings", d.findings),
		key("install", func(v value) { d.install(v); installs = &v }),
	)
	d.needsGroups(v, groups)
	if installs != nil && d.config.Output.NoCRDs {
		d.add(diag.Errorf(d.pos(*installs), "there is nothing to install: output.crds is false").WithHint("remove one of the two"))
	}
}

// needsGroups reports a missing suffix of groups if a source does not name its groups.
func (d *decoder) needsGroups(v value, groups *value) {
	named := func(s Source) bool { return s.Kind() == "crd" || s.Go != nil }
	if v.Kind != yaml.MappingNode || len(d.config.Sources) > 0 && allOf(d.config.Sources, named) {
		return
	}
	if groups == nil {
		d.missing(v, "groups")
	} else if _, given := d.config.positions["groups.suffix"]; !given && groups.Kind == yaml.MappingNode {
		d.missing(*groups, "suffix")
	}
}

func allOf(sources []Source, is func(Source) bool) bool {
	return !slices.ContainsFunc(sources, func(s Source) bool { return !is(s) })
}

func (d *decoder) check(v value) {
	d.object(v, "check", key("strict", func(v value) { d.config.Check.Strict = d.boolean(v) }))
}

func (d *decoder) sources(v value) {
	if d.items(v, d.source) && len(v.Content) == 0 {
		d.add(diag.Errorf(d.pos(v), "no sources").WithHint("such as `%s`", examples["sources"]))
	}
}

func (d *decoder) source(v value) {
	source := Source{Pos: d.pos(v)}
	before := d.errors
	d.object(v, "sources[]",
		key("arm", func(v value) { source.ARM = d.tree(v, "sources[].arm", "**/*.json") }),
		key("bicep", func(v value) { source.Bicep = d.tree(v, "sources[].bicep", "**/types.json") }),
		key("crd", func(v value) { d.crds(v, &source) }),
		key("go", func(v value) { source.Go = d.goSource(v) }),
		key("openapi", func(v value) { source.OpenAPI = d.tree(v, "sources[].openapi", "**/*.{yaml,yml,json}") }),
	)
	switch {
	case len(v.Content) > 2:
		d.add(diag.Errorf(d.pos(v), "more than one kind in one source").WithHint("begin a new element with a dash"))
	case source.Kind() != "":
		d.config.Sources = append(d.config.Sources, source)
	case d.errors == before:
		d.add(diag.Errorf(d.pos(v), "an empty source").WithHint("such as `%s`", examples["sources"]))
	}
}

// tree decodes a tree of files. The sources arm, bicep and openapi have the same keys. files is the
// default of include.
func (d *decoder) tree(v value, section, files string) *Tree {
	tree := new(Tree)
	root := key("root", func(v value) { d.root(v, tree) })
	root.required = true
	d.object(v, section, append([]field{root}, d.globsOf(tree)...)...)
	tree.includes(files)
	return tree
}

// root decodes the folder of a tree.
func (d *decoder) root(v value, tree *Tree) {
	if root, ok := d.text(v); ok {
		tree.Root = d.resolve(root)
	}
}

// globsOf returns the keys that choose files of a tree.
func (d *decoder) globsOf(tree *Tree) []field {
	return []field{
		key("include", func(v value) { tree.Include = d.globs(v) }),
		key("exclude", func(v value) { tree.Exclude = d.globs(v) }),
	}
}

// includes sets what a tree includes if the file does not.
func (t *Tree) includes(files string) {
	if len(t.Include) == 0 {
		t.Include = []string{files}
	}
}

// crds decodes a tree of CRDs, or those of several releases of a project.
func (d *decoder) crds(v value, source *Source) {
	var tree Tree
	var hasRoot, hasReleases bool
	var releases []*Tree
	before := d.errors
	d.object(v, "sources[].crd", append([]field{
		key("root", func(v value) { hasRoot = true; d.root(v, &tree) }),
		key("releases", func(v value) { hasReleases = true; releases = d.releases(v) }),
	}, d.globsOf(&tree)...)...)
	tree.includes("**/*.{yaml,yml,json}")
	switch {
	case hasRoot && hasReleases:
		d.add(diag.Errorf(d.pos(v), "root and releases exclude each other").WithHint("remove root if the CRDs of each release are in a folder of their own"))
	case !hasRoot && !hasReleases && d.errors == before:
		d.missing(v, "root")
	case hasRoot:
		source.CRD = &tree
	}
	for _, t := range releases {
		t.Include, t.Exclude = tree.Include, tree.Exclude
	}
	source.Releases = releases
}

// releases decodes the folders of releases, without the globs that choose files.
func (d *decoder) releases(v value) []*Tree {
	var all []*Tree
	lines := map[string]int{}
	isList := d.items(v, func(v value) {
		name, ok := d.text(v)
		if !ok {
			return
		}
		t := &Tree{Root: d.resolve(name)}
		t.Name = d.nameOf(t.Root)
		if line, twice := lines[t.Root]; twice {
			d.add(diag.Errorf(d.pos(v), "the folder %s appears twice", name).WithHint("the first is in line %d: each folder is one release", line))
			return
		}
		lines[t.Root] = v.Line
		all = append(all, t)
	})
	if isList && len(v.Content) == 0 {
		d.add(diag.Errorf(d.pos(v), "no releases").WithHint("such as `releases: [crds/v1.0, crds/v1.1]`"))
	}
	return all
}

func (d *decoder) goSource(v value) *Go {
	g := new(Go)
	d.object(v, "sources[].go",
		required("packages", func(v value) { g.Packages = d.texts(v) }),
		key("tags", func(v value) { g.Tags = d.texts(v) }),
		key("types", func(v value) { g.Generated = d.oneOf(v, "own", "generated") == "generated" }),
	)
	return g
}

func (d *decoder) only(v value) {
	d.object(v, "only",
		key("resources", func(v value) { d.config.Only.Resources = d.globs(v) }),
		key("versions", func(v value) {
			d.nonEmpty(v, func(v value) {
				if text, ok := d.text(v); ok {
					d.constraint(v, text)
				}
			})
		}),
	)
}

func (d *decoder) constraint(v value, text string) {
	constraint, err := ParseConstraint(text)
	if err != nil {
		d.add(diag.Errorf(d.pos(v), "%v", err).WithHint("such as `>=2019-08-01` or `>=2019-08-01,<2022-01-01`"))
		return
	}
	d.config.Only.Versions = append(d.config.Only.Versions, constraint)
}

func (d *decoder) output(v value) {
	out := &d.config.Output
	d.object(v, "output",
		required("dir", func(v value) {
			if dir, ok := d.text(v); ok {
				out.Dir = d.resolve(dir)
			}
		}),
		required("module", func(v value) { out.Module = d.importPath(v) }),
		key("runtime", func(v value) { out.Runtime = d.importPath(v) }),
		key("explorer", func(v value) {
			if text, ok := d.text(v); ok {
				out.Explorer = text
				if !isAddress(text) {
					d.add(diag.Errorf(d.pos(v), "%s is no address", text).WithPaste("  explorer: https://docs.example.com/explorer\n"))
				}
			}
		}),
		key("crds", func(v value) { out.NoCRDs = !d.boolean(v) }),
		key("crdPackage", func(v value) {
			if out.CRDPackage = d.boolean(v); out.CRDPackage && out.NoCRDs {
				d.add(diag.Errorf(d.pos(v), "there are no CRDs: output.crds is false").WithHint("remove one of the two"))
			}
		}),
		key("kustomization", func(v value) {
			if out.Kustomization = d.boolean(v); out.Kustomization && out.NoCRDs {
				d.add(diag.Errorf(d.pos(v), "there are no CRDs to list: output.crds is false").WithHint("remove one of the two"))
			}
		}),
	)
	if out.Runtime == "" {
		out.Runtime = DefaultRuntime
	}
}

// isAddress reports whether a text is an address that can be a link in Markdown.
func isAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == "" && !strings.ContainsAny(text, "<>\\ ")
}

func (d *decoder) groups(v value) {
	d.object(v, "groups",
		key("suffix", func(v value) {
			if suffix, ok := d.text(v); ok && d.isDNSName(v, suffix) {
				d.config.Groups.Suffix = suffix
			}
		}),
		key("folders", d.groupFolders),
		key("storedBy", d.storedBy),
	)
}

// storedBy decodes the programs that have stored the objects of groups.
func (d *decoder) storedBy(v value) {
	entries, _ := d.entries(v)
	for _, e := range entries {
		if d.isDNSName(e.key, e.key.Value) && d.oneOf(e.value, ASO) != "" {
			if d.config.Groups.StoredBy == nil {
				d.config.Groups.StoredBy = map[string]string{}
			}
			d.config.Groups.StoredBy[e.key.Value] = ASO
		}
	}
}

// groupFolders decodes the folders of providers.
func (d *decoder) groupFolders(v value) {
	owners := map[string]string{}
	entries, _ := d.entries(v)
	for _, e := range entries {
		folder, ok := d.text(e.value)
		if ok && d.isFolder(e.value, folder) && d.once(e.value, owners, folder, e.key.Value, "is already the folder of") {
			if d.config.Groups.Folders == nil {
				d.config.Groups.Folders = map[string]string{}
			}
			d.config.Groups.Folders[e.key.Value] = folder
		}
	}
}

func (d *decoder) versions(v value) {
	versions := &d.config.Versions
	d.object(v, "versions",
		key("serve", d.serve),
		key("unserve", func(v value) { versions.Unserve = d.labels(v) }),
		key("prune", func(v value) { versions.Prune = d.labels(v) }),
		key("evidence", d.evidence),
	)
}

// serve decodes the word all, or the numbers of the newest versions to serve.
func (d *decoder) serve(v value) {
	policy := &d.config.Versions.Serve
	if v.Kind == yaml.ScalarNode && v.Tag == "!!str" {
		policy.All = d.oneOf(v, "all") == "all"
		return
	}
	count := func(of *int) func(value) {
		return func(v value) {
			if n, ok := d.number(v); ok {
				*of = n
			}
		}
	}
	d.object(v, "versions.serve", key("stable", count(&policy.Stable)), key("preview", count(&policy.Preview)))
}

// evidence decodes the files that clusters have written.
func (d *decoder) evidence(v value) {
	all := &d.config.Versions.Evidence
	*all = []Evidence{}
	d.items(v, func(v value) {
		name, ok := d.text(v)
		switch {
		case !ok:
		case slices.ContainsFunc(*all, func(p Evidence) bool { return p.Name == name }):
			d.errorf(v, "%q appears here twice", name)
		default:
			*all = append(*all, Evidence{File: d.resolve(name), Name: name, Pos: d.pos(v)})
		}
	})
}

func (d *decoder) labels(v value) []Label {
	var all []Label
	d.items(v, func(v value) {
		if l, ok := d.label(v); ok {
			all = append(all, l)
		}
	})
	return all
}

// label decodes a version, or a group's folder, a slash, and a version.
func (d *decoder) label(v value) (Label, bool) {
	text, ok := d.text(v)
	if !ok {
		return Label{}, false
	}
	l := Label{Version: text, Pos: d.pos(v)}
	if group, name, found := strings.Cut(text, "/"); found {
		l.Group, l.Version = group, name
		if !d.isFolder(v, group) {
			return Label{}, false
		}
	}
	if _, ok := version.Parse(l.Version); !ok {
		d.add(diag.Errorf(l.Pos, "%q is not a version", l.Version).WithHint(`as the source spells it, "2014-04-04-preview", after a group's folder and a slash to mean that group only`))
		return Label{}, false
	}
	return l, true
}

// fixed checks a string with only one valid value.
func (d *decoder) fixed(v value, want string) {
	if got, ok := d.text(v); ok && got != want {
		d.add(diag.Errorf(d.pos(v), "%q is not known", got).WithHint("this version of strata knows %q", want))
	}
}

// oneOf checks a string with a few valid values.
func (d *decoder) oneOf(v value, words ...string) string {
	word, ok := d.text(v)
	if ok && !slices.Contains(words, word) {
		d.add(suggesting(diag.Errorf(d.pos(v), "%q is not known", word), word, words))
		return ""
	}
	return word
}

func (d *decoder) texts(v value) []string {
	var all []string
	d.items(v, func(v value) {
		if text, ok := d.text(v); ok {
			all = append(all, text)
		}
	})
	return all
}

// nonEmpty decodes a list that must have elements, since an empty list could be read as "nothing"
// or as "everything".
func (d *decoder) nonEmpty(v value, decode func(value)) {
	if d.items(v, decode) && len(v.Content) == 0 {
		d.add(diag.Errorf(d.pos(v), "an empty list").WithHint("omit the key for no limit"))
	}
}

// nameOf returns the slash path of a folder from that of the file, so that results do not depend on
// where the repository is.
func (d *decoder) nameOf(root string) string {
	relative, err := filepath.Rel(realPath(d.config.Dir), realPath(root))
	if err != nil {
		relative = filepath.Base(root)
	}
	return filepath.ToSlash(relative)
}

// resolve joins a path of the file to the file's folder.
func (d *decoder) resolve(path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(d.config.Dir, path)
}
