package upgrade

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"

	"github.com/stratakube/strata/operator/cluster/internal/converter"
	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/pack"
	"github.com/stratakube/strata/operator/cluster/internal/references"
)

// Options are what a plan is made of.
type Options struct {
	Cluster dynamic.Interface
	// Server and Metadata find who names versions outside the objects of the package's kinds. If
	// Server is nil, the plan has nothing about them.
	Server   references.Server
	Metadata metadata.Interface
	// Webhooks are replicas of the webhook; if there are none, the pods of its service are asked.
	Webhooks []references.Webhook
	Package  *pack.Package
	// Versions is what the converter converts. Start starts a converter, and returns the function
	// that ends it.
	Versions *converter.Versions
	Start    func(context.Context) (with Converter, end func(), err error)
	// Parallel is how many kinds are read at once, each with a converter of its own.
	Parallel int
	// Progress receives a line for each kind that is read; it may be nil.
	Progress func(line string)
}

// Make reads the cluster, and makes a plan. The error has all kinds that could not be read.
func Make(ctx context.Context, o Options) (*Plan, error) {
	p := &Plan{Format: format, Package: o.Package.Digest, Converter: o.Versions, Kinds: make([]Kind, len(o.Package.CRDs))}
	p.NotChecked = []references.Unchecked{}
	// Who names versions is found first: the plan itself is a client of versions.
	uses, err := o.uses(ctx, p)
	if err != nil {
		return nil, err
	}
	errs := make([]error, len(p.Kinds))
	room := make(chan struct{}, max(1, o.Parallel))
	var all sync.WaitGroup
	for i, to := range o.Package.CRDs {
		all.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			if errs[i] = o.kind(ctx, to, &p.Kinds[i]); errs[i] == nil && o.Progress != nil {
				o.Progress(fmt.Sprintf("%s: %s read", to.Name(), objects(p.Kinds[i].Objects)))
			}
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	for i := range p.Kinds {
		k := &p.Kinds[i]
		p.Writes += k.Writes
		k.add(uses)
	}
	return p, p.seal()
}

// uses returns who names versions that go, and records what could not be read.
func (o *Options) uses(ctx context.Context, p *Plan) ([]references.Use, error) {
	if o.Server == nil {
		return nil, nil
	}
	var kinds []references.Kind
	for _, to := range o.Package.CRDs {
		from, err := crd.Get(ctx, o.Cluster, to.Name())
		switch {
		case apierrors.IsNotFound(err):
		case err != nil:
			return nil, err
		default:
			kinds = append(kinds, references.Kind{From: from, To: to})
		}
	}
	uses, unchecked, err := references.Find(ctx, references.Options{Server: o.Server, Objects: o.Cluster, Metadata: o.Metadata, Kinds: kinds, Webhooks: o.Webhooks})
	p.NotChecked = append(p.NotChecked, unchecked...)
	return uses, err
}

// add adds the uses of a kind to its findings, and sorts them.
func (k *Kind) add(uses []references.Use) {
	for _, u := range uses {
		if u.CRD == k.CRD {
			k.Findings = append(k.Findings, Finding{Reason: u.Reason, Version: u.Version, Objects: u.Count, Example: u.Example, Path: u.Path, Message: u.Message, Note: u.Note})
		}
	}
	slices.SortStableFunc(k.Findings, func(a, b Finding) int {
		return slices.Compare([]string{a.Reason, a.Version}, []string{b.Reason, b.Version})
	})
}

// kind plans one kind.
func (o *Options) kind(ctx context.Context, to *crd.CRD, k *Kind) error {
	*k = Kind{CRD: to.Name(), To: to.Hub(), Added: []string{}, Gone: []string{}, Unserved: []string{}, StoredVersions: []string{}, Originals: map[string]int{}, Findings: []Finding{}}
	from, err := crd.Get(ctx, o.Cluster, to.Name())
	isNew := apierrors.IsNotFound(err)
	if err != nil && !isNew {
		return err
	}
	s := &scan{client: o.Cluster, from: from, to: to, kind: k, found: map[[2]string]int{}, named: crd.NewNames(from, to)}
	s.known(o.Versions)
	if isNew {
		k.New = true
		return nil
	}
	if err := from.NeedsHub(); err != nil {
		return err
	}
	if k.Spec, err = from.Digest(); err != nil {
		return err
	}
	s.changes()
	with, end, err := o.Start(ctx)
	if err != nil {
		return err
	}
	defer end()
	s.with = with
	if err := s.run(ctx); err != nil {
		return err
	}
	if from.Hub() != to.Hub() || len(from.Stored) > 1 {
		k.Writes = k.Objects
	}
	return nil
}

// known finds versions of the package that the converter does not convert.
func (s *scan) known(by *converter.Versions) {
	i := slices.IndexFunc(by.Kinds, func(k converter.Kind) bool { return k.Group == s.to.Group && k.Kind == s.to.Kind })
	for _, v := range s.to.Versions {
		if i < 0 || !slices.Contains(by.Kinds[i].Versions, v.Name) {
			s.find(VersionUnknown, v.Name, "", "", "the converter does not convert this version: name the webhook of the package with --converter")
		}
	}
}

// changes compares the installed CRD with that of the package.
func (s *scan) changes() {
	k := s.kind
	k.UID, k.Generation, k.From, k.StoredVersions = s.from.UID, s.from.Generation, s.from.Hub(), s.from.Stored
	for _, v := range s.to.Versions {
		if !s.from.Has(v.Name) {
			k.Added = append(k.Added, v.Name)
		}
	}
	for _, v := range s.from.Versions {
		switch {
		case !s.to.Has(v.Name):
			k.Gone = append(k.Gone, v.Name)
		case v.Served && !s.to.Serves(v.Name):
			k.Unserved = append(k.Unserved, v.Name)
		}
	}
	for _, v := range s.from.Stored {
		if !s.to.Has(v) {
			s.find(StoredVersionGone, v, "", "", "status.storedVersions has it, and API servers refuse a CRD without it")
		}
	}
}
