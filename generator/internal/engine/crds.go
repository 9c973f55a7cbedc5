package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/emit"
	"github.com/stratakube/strata/generator/internal/emit/crd"
	"github.com/stratakube/strata/generator/internal/emit/golang/gocrds"
	"github.com/stratakube/strata/generator/internal/emit/history"
	"github.com/stratakube/strata/generator/internal/emit/install"
	"github.com/stratakube/strata/generator/internal/emit/planfile"
	"github.com/stratakube/strata/generator/internal/output"
	"github.com/stratakube/strata/generator/internal/served"
)

// definitions returns the options for CRDs.
func (run *Run) definitions() crd.Options {
	w := run.config.Install.Webhook
	o := crd.Options{Limit: crd.Limit, Client: v1.WebhookClientConfig{CABundle: w.CABundle}}
	if w.URL != "" {
		o.Client.URL = &w.URL
		return o
	}
	o.Client.Service = &v1.ServiceReference{Namespace: w.Namespace, Name: w.Name, Path: &w.Path, Port: new(int32(w.Port))}
	if run.config.Install.Certificates == config.CertManager {
		o.Certificate = cmp.Or(run.config.Install.Certificate, packages(run.config.Install).Certificate())
	}
	return o
}

// packages returns the options for packages that install the CRDs.
func packages(in config.Install) install.Options {
	var operator *install.Operator
	if o := in.Operator; o != nil {
		operator = &install.Operator{
			Image: o.Image, Namespaces: o.Namespaces, MetadataService: o.MetadataService, RequireCredentials: o.RequireCredentials, NoConfigMaps: o.NoConfigMaps,
			ShardNamespaces: o.ShardNamespaces,
		}
	}
	return install.Options{
		Namespace: in.Webhook.Namespace, Service: in.Webhook.Name, Port: int32(in.Webhook.Port), External: in.Webhook.URL != "",
		CertManager: in.Certificates == config.CertManager, Image: in.Image, HubWriters: in.HubWriters,
		Kustomize: in.Kustomize, Helm: in.Helm, Operator: operator,
	}
}

// fileOf returns the file of a CRD, which has all versions of its kind.
func fileOf(f crd.File) emit.File {
	return emit.File{Path: f.Path, Body: f.Body, Of: f.Kind.Versions, Part: partCRDs}
}

// crdValues is the file of the Go package that contains the CRDs of all groups.
const crdValues = crd.Folder + "/" + gocrds.File

// valuesOf returns the file of the Go package that contains the CRDs, if the configuration
// requests it.
func (pl Plan) valuesOf(crds []crd.File) []emit.File {
	if !pl.config.Output.CRDPackage || len(crds) == 0 {
		return nil
	}
	var values []gocrds.CRD
	for _, f := range crds {
		values = append(values, gocrds.CRD{Name: f.Name, Path: f.Path, Storable: f.Kind.Storable()})
	}
	return []emit.File{{Path: crdValues, Body: gocrds.Package(pl.layout(), values)}}
}

// histories returns jobs that print the property histories of the kinds that have CRDs.
func (pl Plan) histories() []job {
	if pl.config.Output.NoCRDs {
		return nil
	}
	var jobs []job
	for _, print := range history.Jobs(pl.plan) {
		jobs = append(jobs, func() (emit.File, error) {
			f, err := print()
			return emit.File{Path: f.Path, Body: f.Body, Of: f.Kind.Versions}, err
		})
	}
	return jobs
}

// planFiles returns jobs that print the conversions of each group as data.
func (pl Plan) planFiles() []job {
	var jobs []job
	for _, print := range planfile.Jobs(pl.plan) {
		jobs = append(jobs, func() (emit.File, error) {
			f, err := print()
			return emit.File{Path: f.Path, Body: f.Body, Of: f.Versions()}, err
		})
	}
	return jobs
}

// defined prints the CRDs, and the packages that install them.
func (pl Plan) defined(ctx context.Context, o crd.Options, in config.Install) (crds []crd.File, packages []emit.File, err error) {
	if pl.config.Output.NoCRDs {
		return nil, nil, nil
	}
	if crds, err = crd.Files(ctx, pl.plan, o); err != nil {
		return nil, nil, err
	}
	packages, err = pl.packaged(crds, in)
	return crds, packages, err
}

// packaged returns the files of packages. They cover all resources.
func (pl Plan) packaged(crds []crd.File, in config.Install) ([]emit.File, error) {
	var paths []string
	for _, f := range crds {
		paths = append(paths, f.Path)
	}
	files, err := install.Files(pl.plan, packages(in), paths)
	if pl.config.Output.Kustomization && in.Kustomize == "" && len(paths) > 0 {
		files = append(files, install.OfCRDs(paths))
	}
	var out []emit.File
	for _, f := range files {
		out = append(out, emit.File{Path: f.Path, Body: f.Body, Part: f.Part})
	}
	return out, err
}

// checkPackages reports folders of packages that also contain other generated files.
func (ch Chain) checkPackages() {
	for _, p := range []struct{ key, folder string }{{"kustomize", ch.config.Install.Kustomize}, {"helm", ch.config.Install.Helm}} {
		first, _, _ := strings.Cut(p.folder, "/")
		taken := slices.Contains([]string{output.LedgerDir, reportsDir, crd.Folder, history.Folder}, first)
		for _, g := range ch.chain.Groups {
			taken = taken || g.Folder == first
		}
		if taken {
			ch.Messages.Add(diag.Errorf(ch.config.At("install."+p.key), "the folder %s contains other generated files", first).
				WithHint("name another one"))
		}
	}
}

// budget returns the sizes of CRDs, the largest first. It warns of CRDs that are too large even
// without descriptions.
func (pl Plan) budget(crds []crd.File) []CRDSize {
	var out []CRDSize
	for i := range crds {
		f := &crds[i]
		if !pl.scope.hasType(f.Kind.Resource.Model.Type) {
			continue
		}
		d := CRDSize{Name: f.Name, Bytes: f.Size, Limit: crd.Limit, Near: f.Near(crd.Limit), Descriptions: cmp.Or(f.Trim, "whole"), ServedBySource: served.IsStated(f.Kind.Resource)}
		for _, v := range f.Versions {
			d.Versions = append(d.Versions, CRDVersionSize{Name: v.Name, Served: v.Served, Bytes: v.Bytes})
		}
		out = append(out, d)
		pl.noteCuts(f)
		pl.warnOfUnguarded(f)
		if f.Size > crd.Limit {
			pl.warnOfSize(f, d.ServedBySource)
		}
	}
	slices.SortStableFunc(out, func(x, y CRDSize) int { return cmp.Compare(y.Bytes, x.Bytes) })
	return out
}

// warnOfSize warns of a CRD that is too large, with what makes it smaller.
func (pl Plan) warnOfSize(f *crd.File, servedBySource bool) {
	pos, hint := pl.config.At("versions.serve"), "serve fewer versions: those of the ledger leave by versions.unserve"
	if servedBySource {
		m := f.Kind.Resource.Model
		first := m.Versions[0].Pos
		pos, hint = diag.At(first.File, first.Offset, ""), "prune a version in which no object is stored (versions.prune), or mark a large object of the source: +kubebuilder:validation:Schemaless and +kubebuilder:pruning:PreserveUnknownFields on a Go field"
	}
	pl.Messages.Add(diag.Warnf(pos, "the CRD %s takes %d bytes, of at most %d", f.Name, f.Size, crd.Limit).WithHint("%s", hint))
}

// warnOfUnguarded warns of CRD rules that fail for objects of other versions.
func (pl Plan) warnOfUnguarded(f *crd.File) {
	for _, u := range f.Unguarded {
		pl.Messages.Add(diag.Warnf(diag.Pos{}, "a rule of %s %s at %s reads a member that objects of other versions lack, so that they cannot be written: %s", f.Name, u.Version, u.Path, u.Rule).
			WithHint("test the member in the rule, as in !has(self.member) || …; %s/%s/crds.md says why there is no guard", reportsDir, f.Kind.Group.Chain.Folder))
	}
}

// noteCuts notes the parts that a CRD omits because it would be too large.
func (pl Plan) noteCuts(f *crd.File) {
	if len(f.Cut) == 0 && f.Unruled() == 0 {
		return
	}
	pl.Messages.Add(diag.Notef(diag.Pos{}, "the CRD %s would be larger than %d bytes: %d objects have no schema of all their members, and %d rules are left out", f.Name, crd.Limit, len(f.Cut), f.Unruled()).
		WithHint("%s/%s/crds.md lists them", reportsDir, f.Kind.Group.Chain.Folder))
}
