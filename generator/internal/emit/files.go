package emit

import (
	"context"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/augmentation"
	"github.com/stratakube/strata/generator/internal/emit/golang/goconv"
	"github.com/stratakube/strata/generator/internal/emit/golang/gofile"
	"github.com/stratakube/strata/generator/internal/emit/golang/gotest"
	"github.com/stratakube/strata/generator/internal/emit/golang/gotypes"
	"github.com/stratakube/strata/generator/internal/parallel"
	"github.com/stratakube/strata/generator/internal/plaintext"
	"github.com/stratakube/strata/generator/internal/plan"
)

// File is a generated file. Path is relative to the output folder, with slashes. Of lists the
// resource versions that the file describes; it is empty for a registration.
type File struct {
	Path string
	Body []byte
	Of   []*plan.KindVersion
	Part string // the part of an installation; empty if the file is not a manifest
}

// The back ends: the files for a version of a resource, for a package, for a resource, and for a
// group. Those of API types write nothing for pruned versions.
var (
	apiFiles = []backend[*plan.KindVersion]{
		{func(k *plan.KindVersion) string { return k.Package.Folder() + "/" + base(k.Kind) + "_types.go" }, gotypes.API},
		{func(k *plan.KindVersion) string { return k.Package.Folder() + "/" + base(k.Kind) + "_conversion.go" }, goconv.API},
	}
	storageFiles = []backend[*plan.KindVersion]{
		{func(k *plan.KindVersion) string { return k.Package.StorageFolder() + "/" + base(k.Kind) + ".go" }, storage},
		{func(k *plan.KindVersion) string { return k.Package.CompatFolder() + "/" + base(k.Kind) + ".go" }, gotypes.Compat},
	}
	apiPackageFiles = []backend[*plan.Package]{
		{func(p *plan.Package) string { return p.Folder() + "/groupversion.go" }, gotypes.APIPackage},
		{func(p *plan.Package) string { return p.Folder() + "/deepcopy.go" }, gotypes.APIDeepCopy},
		{func(p *plan.Package) string { return p.Folder() + "/exports.go" }, gotypes.Exports},
	}
	storagePackageFiles = []backend[*plan.Package]{
		{func(p *plan.Package) string { return p.StorageFolder() + "/groupversion.go" }, gotypes.StoragePackage},
		{func(p *plan.Package) string { return p.StorageFolder() + "/deepcopy.go" }, gotypes.StorageDeepCopy},
	}
	ownPackageFiles = []backend[*plan.Package]{
		{func(p *plan.Package) string { return p.Own.Folder + "/" + augmentation.File }, goconv.Own},
	}
	kindFiles = []backend[*plan.Kind]{
		{func(k *plan.Kind) string { return k.Group.Chain.Folder + "/conversiontest/" + base(k) + "_test.go" }, gotest.Kind},
	}
	stepFiles = []backend[*plan.Kind]{
		{func(k *plan.Kind) string {
			return k.Group.Chain.Folder + "/conversiontest/" + base(k) + "_steps_test.go"
		}, goconv.Steps},
	}
	groupFiles = []backend[*plan.Group]{
		{func(g *plan.Group) string { return g.Chain.Folder + "/register.go" }, registerGroup},
		{func(g *plan.Group) string { return g.Chain.Folder + "/versions.go" }, versions},
	}
)

// storage writes a resource's storage types and their steps.
func storage(l gofile.Layout, kv *plan.KindVersion) *gofile.File {
	f := l.StorageTypes(kv.Package)
	gotypes.Storage(f, kv)
	goconv.Storage(f, kv)
	return f.File
}

// backend writes one file, or an empty one if it has no content.
type backend[T any] struct {
	path  func(T) string
	write func(gofile.Layout, T) *gofile.File
}

// base returns the beginning of the names of a resource's files.
func base(k *plan.Kind) string {
	name := strings.ToLower(k.Name)
	if strings.HasSuffix(name, "test") || name == "groupversion" || name == "deepcopy" {
		name += "_" // only a test may end in _test.go, and no two files may have one name
	}
	return plaintext.FileName(name)
}

// Jobs returns a function for each file of a plan, which prints it. The file has no body if there
// is nothing to print. The functions may run at the same time.
func Jobs(p *plan.Plan, l gofile.Layout) []func() File {
	var jobs []func() File
	for _, g := range p.Groups {
		jobs = append(jobs, groupJobs(g, l)...)
	}
	return append(jobs, func() File { return File{Path: "register.go", Body: registerAll(l, p.Groups).Bytes()} })
}

// Files prints all files of a plan, in the given number of goroutines; their order does not
// depend on it. Files are missing if ctx ends before Files returns.
func Files(ctx context.Context, p *plan.Plan, l gofile.Layout, workers int) []File {
	jobs := Jobs(p, l)
	out := make([]File, len(jobs))
	parallel.For(ctx, len(jobs), workers, func(i int) { out[i] = jobs[i]() })
	return slices.DeleteFunc(out, func(f File) bool { return f.Body == nil })
}

func groupJobs(g *plan.Group, l gofile.Layout) []func() File {
	var jobs []func() File
	for _, k := range g.Kinds {
		if k.HasTests {
			jobs = append(jobs, jobsOf(kindFiles, l, k, k.Versions...)...)
		}
		jobs = append(jobs, jobsOf(stepFiles, l, k, k.Versions...)...)
		for _, kv := range k.Versions {
			if !kv.Package.Pruned() && !kv.Package.IsOwn() {
				jobs = append(jobs, jobsOf(apiFiles, l, kv, kv)...)
			}
			jobs = append(jobs, jobsOf(storageFiles, l, kv, kv)...)
		}
	}
	for _, pkg := range g.Packages {
		switch {
		case pkg.Pruned():
		case pkg.IsOwn():
			jobs = append(jobs, jobsOf(ownPackageFiles, l, pkg, pkg.Kinds...)...)
		default:
			jobs = append(jobs, jobsOf(apiPackageFiles, l, pkg, pkg.Kinds...)...)
		}
		jobs = append(jobs, jobsOf(storagePackageFiles, l, pkg, pkg.Kinds...)...)
	}
	return append(jobs, jobsOf(groupFiles, l, g)...)
}

func jobsOf[T any](backends []backend[T], l gofile.Layout, t T, of ...*plan.KindVersion) []func() File {
	var jobs []func() File
	for _, b := range backends {
		jobs = append(jobs, func() File { return File{Path: b.path(t), Body: b.write(l, t).Bytes(), Of: of} })
	}
	return jobs
}
