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
	"github.com/stratakube/strata/operator/cluster/internal/dependents"
	"github.com/stratakube/strata/operator/cluster/internal/pack"
	"github.com/stratakube/strata/operator/cluster/internal/references"
	"github.com/stratakube/strata/operator/cluster/internal/replicas"
)

// Options are what a plan is made of.
type Options struct {
	Cluster dynamic.Interface
	// Server and Metadata find who names versions outside the objects of the package's kinds. If
	// Server is nil, the plan has nothing about them.
	Server   references.Server
	Metadata metadata.Interface
	// Replicas configures how replicas of the webhook are found.
	Replicas replicas.Options
	Package  *pack.Package
	// Versions is what the converter converts. Start starts a converter, and returns the function
	// that ends it.
	Versions *converter.Versions
	Start    func(context.Context) (with Converter, end func(), err error)
	// Parallel is how many kinds are read at once, each with a converter of its own.
	Parallel int
	// Rate is the maximum of writes a second. Measure returns how many objects of a kind the cluster
	// writes a second; nil if nothing is measured.
	Rate    int
	Measure func(context.Context, *crd.CRD) (float64, error)
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
		if to := o.Package.CRDs[i]; !k.New && !to.Strata && to.Converts && !isUniform(to) && o.Versions.Of(to.Group, to.Kind) == nil {
			p.NotChecked = append(p.NotChecked, references.Unchecked{What: "conversions of " + k.CRD, Reason: "another program's webhook converts it, and the converter does not: name one with --converter"})
		}
		p.Writes += k.Writes
		if err := o.predict(ctx, p, k); err != nil {
			return nil, err
		}
		k.add(uses)
	}
	return p, p.seal()
}

// predict computes how long the writes of a kind take.
func (o *Options) predict(ctx context.Context, p *Plan, k *Kind) error {
	if k.Writes == 0 || o.Rate == 0 {
		return nil
	}
	k.Rate = float64(o.Rate)
	if o.Measure != nil {
		from, err := crd.Get(ctx, o.Cluster, k.CRD)
		if err != nil {
			return err
		}
		measured, err := o.Measure(ctx, from)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			p.NotChecked = append(p.NotChecked, references.Unchecked{
				What: "the rate of writes of " + k.CRD, Reason: dependents.Missing(err, "patch", from.Resource("").GroupResource()),
			})
		default:
			k.Rate, k.Measured = min(k.Rate, measured), true
		}
	}
	k.Seconds = float64(k.Writes) / k.Rate
	p.Seconds += k.Seconds
	return nil
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
	uses, unchecked, err := references.Find(ctx, references.Options{Server: o.Server, Objects: o.Cluster, Metadata: o.Metadata, Kinds: kinds, Replicas: o.Replicas})
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
	if k.Spec, err = from.Digest(); err != nil {
		return err
	}
	s.changes()
	end, err := s.start(ctx, o)
	if err != nil {
		return err
	}
	defer end()
	if err := s.run(ctx); err != nil {
		return err
	}
	s.uniform()
	if from.Hub() != to.Hub() || len(from.Stored) > 1 {
		k.Writes = k.Objects
	}
	return nil
}

// start gives the scan what converts the objects of its kind, and returns the function that ends
// it. Without a webhook, that is what an API server does. Of a kind that another program's webhook
// converts, it is nothing.
func (s *scan) start(ctx context.Context, o *Options) (end func(), err error) {
	end = func() {}
	known := o.Versions.Of(s.to.Group, s.to.Kind) != nil
	switch {
	case !s.to.Strata && (!s.to.Converts || isUniform(s.to)):
		s.with, err = newPlain(s.to)
	case s.to.Strata || known:
		s.with, end, err = o.Start(ctx)
	}
	return end, err
}

// uniform notes that a kind needs no webhook, if what an API server does without one changes
// nothing that any version shows.
func (s *scan) uniform() {
	if !s.to.Strata && isUniform(s.to) && !slices.ContainsFunc([]string{HubChanged, Lost, VisibleChanged, NotConvertible}, s.isAnyFound) {
		s.find(Uniform, "", "", "", "all versions have one schema and show the same: strategy None converts them, and no webhook is needed")
		s.kind.Findings[len(s.kind.Findings)-1].Note = true
	}
}

// known finds versions of the package that the converter does not convert.
func (s *scan) known(by *converter.Versions) {
	versions := by.Of(s.to.Group, s.to.Kind)
	if !s.to.Strata && versions == nil {
		return // another program converts it, or none does
	}
	for _, v := range s.to.Versions {
		if !slices.Contains(versions, v.Name) {
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
