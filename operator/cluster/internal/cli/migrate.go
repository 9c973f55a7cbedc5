package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/stratakube/strata/operator/cluster/internal/bounded"
	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/dependents"
	"github.com/stratakube/strata/operator/cluster/internal/rewrite"
	"github.com/stratakube/strata/operator/cluster/internal/settle"
	"github.com/stratakube/strata/operator/cluster/internal/terminal"
	"github.com/stratakube/strata/operator/cluster/ownership"
)

// firstPause is the time before a failed request is repeated for the first time.
const firstPause = 200 * time.Millisecond

// patience is how long an API server may take to see a CRD, or to answer at all.
const patience = 30 * time.Second

// migration has the flags of migrate.
type migration struct {
	access
	gone      []string
	histories string
	rate      int
	form      string
	drop      bool
	heal      bool
	shortens  bool
	grace     time.Duration
	servers   []string
	wait      time.Duration
	unserved  []string // versions that no API server may serve any more
}

func migrateCommand(s Streams) *cobra.Command {
	var m migration
	c := &cobra.Command{
		Use:   "migrate KIND",
		Short: "store all objects of a kind in the storage version",
		Long: "migrate writes each object of a kind once more, unchanged, so that the API server stores it in the storage\n" +
			"version. In the same write it translates the entries of metadata.managedFields whose versions go: those that\n" +
			"the CRD does not serve, and those of --gone. It works for every CRD. An interrupted run can be repeated: what\n" +
			"was written needs no second write. An object that cannot be written is named, and the others are written.\n" +
			"With --shorten it then proves that no object is stored in another version, and removes the other versions\n" +
			"from status.storedVersions.",
		Example: "  strata cluster migrate Person --histories api/histories --as system:serviceaccount:strata-system:strata-migrator\n" +
			"  strata cluster migrate certificates.cert-manager.io --shorten\n  strata cluster migrate widgets.example.com --gone v1 --rate 50 --settle 30s",
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) != 1:
				return errors.New("migrate takes a kind")
			case m.rate < 1 || m.rate > maxRate:
				return fmt.Errorf("--rate is between 1 and %d, not %d", maxRate, m.rate)
			case m.wait < 0 || m.wait > 0 && len(m.servers) > 0:
				return errors.New("--settle is a time to wait, in place of --server")
			case m.grace < 0:
				return errors.New("--grace must not be below zero")
			case m.form != "table" && m.form != "json":
				return fmt.Errorf("-o is table or json, not %q", m.form)
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return m.run(c.Context(), args[0], s) },
	}
	m.add(c)
	c.Flags().StringVar(&m.as, "as", "", "the `user` to impersonate")
	c.Flags().StringSliceVar(&m.gone, "gone", nil, "a `version` that the CRD still serves and will lose; can be repeated")
	c.Flags().StringVar(&m.histories, "histories", "", "the `folder` of property histories that strata generate has written")
	c.Flags().BoolVar(&m.drop, "drop-values", false, "also write objects with values that the storage version lacks: the write removes them")
	c.Flags().BoolVar(&m.heal, "dependents", false, "also replace versions that go in the owner references of all objects of the cluster")
	c.Flags().BoolVar(&m.shortens, "shorten", false, "prove that no object is stored in another version, and remove the others from status.storedVersions")
	c.Flags().DurationVar(&m.grace, "grace", time.Minute, "with --shorten, the longest `time` that a request takes: kube-apiserver's --request-timeout")
	c.Flags().StringArrayVar(&m.servers, "server", nil, "the `URL` of an API server to ask for the storage version; can be repeated. By default those of the service default/kubernetes")
	c.Flags().DurationVar(&m.wait, "settle", 0, "wait for this `time`, rather than ask each API server for the storage version")
	c.Flags().IntVar(&m.rate, "rate", defaultRate, "the maximum `number` of writes a second")
	c.Flags().StringVarP(&m.form, "output", "o", "table", "the `form` of the result: table or json")
	return c
}

const (
	defaultRate = 200
	maxRate     = 10_000
)

func (m *migration) run(ctx context.Context, kind string, s Streams) error {
	pace := rewrite.NewPace(m.rate)
	m.watch = pace.Transport
	s.Err = &shared{inner: s.Err} // requests write to it while they wait
	m.waits = func(line string) { fmt.Fprintln(s.Err, terminal.Line(line)) }
	on, err := m.open()
	if err != nil {
		return err
	}
	d, err := crd.FindAny(ctx, on.discovery, on.objects, kind)
	if err != nil {
		return err
	}
	o, err := m.options(d, on, pace)
	if err != nil {
		return err
	}
	if err := m.awaitServers(ctx, d, on.config, s.Err); err != nil {
		return err
	}
	began := time.Now() // all API servers have seen the CRD
	during := progress{out: s.Err, kind: d.Name(), began: began, last: began}
	o.Progress = during.show
	report, err := rewrite.Run(ctx, o)
	out := migrated{Kind: d.Name(), Version: d.Hub(), Report: report}
	if err == nil && m.heal {
		out.Dependents, err = m.healed(ctx, d, on, pace)
	}
	if err == nil && m.shortens && report.Poison.Objects == 0 {
		var proved rewrite.Report
		if out.Shortened, proved, err = m.shorten(ctx, d, on.config, o, began, s.Err); proved.Poison.Objects > 0 {
			report.Poison, out.Poison = proved.Poison, proved.Poison
		}
	}
	if showErr := show(s.Out, m.form, &out); showErr != nil {
		return showErr
	}
	switch {
	case apierrors.IsForbidden(err) && d.Strata && m.as == "":
		return fmt.Errorf("%w\nadd --as system:serviceaccount:NAMESPACE:strata-migrator, with the namespace of the webhook: only some users may write the version that is stored", err)
	case err != nil:
		return err
	case report.Poison.Objects > 0:
		return fmt.Errorf("%s of %s cannot be written; the others are", objects(report.Poison.Objects), d.Name())
	case out.Dependents != nil && out.Dependents.Failed+len(out.Dependents.Unread) > 0:
		return fmt.Errorf("not all owner references are healed: %s cannot be written, and %d resources were not read", objects(out.Dependents.Failed), len(out.Dependents.Unread))
	}
	return nil
}

// options returns how the objects of a kind are written.
func (m *migration) options(d *crd.CRD, on *cluster, pace *rewrite.Pace) (rewrite.Options, error) {
	owners, err := m.owners(d, on.objects)
	if err != nil {
		return rewrite.Options{}, err
	}
	if err := d.ServesHub(); err != nil {
		return rewrite.Options{}, err
	}
	removes, err := removed(d, on.objects)
	if err != nil {
		return rewrite.Options{}, err
	}
	if m.drop {
		removes = nil
	}
	return rewrite.Options{
		Client: on.metadata, Resource: d.Resource(d.Hub()), Others: d.Others(), Owners: owners, Removes: removes, Pace: pace, Pause: firstPause,
	}, nil
}

// healed replaces versions that go in the owner references of the objects that objects of the kind
// own.
func (m *migration) healed(ctx context.Context, d *crd.CRD, on *cluster, pace *rewrite.Pace) (*dependents.Healed, error) {
	owner := dependents.Owner{Group: d.Group, Kind: d.Kind, Target: func(version string) string { return d.Successor(version, m.gone) }}
	report, err := dependents.Heal(ctx, dependents.Options{Server: on.discovery, Client: on.metadata, Owners: []dependents.Owner{owner}}, pace.Wait)
	return &report, err
}

// awaitServers waits until all API servers store objects in the storage version. It asks them with
// the rights of the user, also if the user impersonates another one to write.
func (m *migration) awaitServers(ctx context.Context, d *crd.CRD, config *rest.Config, progress io.Writer) error {
	if m.wait > 0 {
		fmt.Fprintf(progress, "%s: waits %s for all API servers to store objects in %s\n", d.Name(), m.wait, d.Hub())
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(m.wait):
			return nil
		}
	}
	config = rest.CopyConfig(config)
	config.Impersonate = rest.ImpersonationConfig{}
	servers, err := settle.Named(config, m.servers)
	if len(m.servers) == 0 {
		var objects dynamic.Interface
		if objects, err = dynamic.NewForConfig(config); err == nil {
			servers, err = settle.Found(ctx, config, objects)
		}
	}
	if err != nil {
		return err
	}
	return settle.Await(ctx, d, settle.Options{Servers: servers, Patience: patience, Unserved: m.unserved, Waits: func(server string, why error) {
		fmt.Fprintf(progress, "%s: waits for API server %s: %s\n", d.Name(), server, terminal.Line(why.Error()))
	}})
}

// owners returns how the owners of fields are translated.
func (m *migration) owners(d *crd.CRD, c dynamic.Interface) (rewrite.Owners, error) {
	for _, v := range m.gone {
		if !slices.ContainsFunc(d.Versions, func(of crd.Version) bool { return of.Name == v }) {
			return rewrite.Owners{}, fmt.Errorf("--gone names %q, and %s has no such version: it has %s", v, d.Name(), names(d))
		}
		if v == d.Hub() || v == d.API() {
			return rewrite.Owners{}, fmt.Errorf("%s cannot go: objects of %s are stored in %s", v, d.Name(), d.Hub())
		}
	}
	if d.Strata && m.histories == "" {
		return rewrite.Owners{}, fmt.Errorf("%s needs --histories with the folder that strata generate writes, such as api/histories: owners of renamed fields lose them otherwise", d.Name())
	}
	relabel := rewrite.Relabel(d.Schemas)
	out := rewrite.Owners{
		Group:  d.Group,
		Target: func(version string) string { return d.Successor(version, m.gone) },
		Live: func(ctx context.Context, o *metav1.PartialObjectMetadata, version string) (map[string]any, error) {
			got, err := c.Resource(d.Resource(version)).Namespace(o.Namespace).Get(ctx, o.Name, metav1.GetOptions{})
			if err != nil {
				return nil, err
			}
			return got.Object, nil
		},
		Serves:    func(version string) bool { return slices.Contains(d.Others(), version) },
		Translate: relabel,
	}
	if m.histories == "" {
		return out, nil
	}
	kind, err := histories(m.histories, d)
	switch {
	case errors.Is(err, errNoHistories) && !d.Strata:
		return out, nil // the package has other kinds beside those of Strata
	case err != nil:
		return out, err
	}
	out.Translate = func(set *fieldpath.Set, from, to string) (*ownership.Translation, error) {
		if !kind.Has(from) || !kind.Has(to) {
			return relabel(set, from, to)
		}
		return kind.Translate(set, from, to)
	}
	return out, nil
}

func names(d *crd.CRD) string {
	var out []string
	for _, v := range d.Versions {
		out = append(out, v.Name)
	}
	return strings.Join(out, ", ")
}

// histories reads the property histories of a kind in the folders of a folder, which have names of
// groups as strata.yaml spells them.
func histories(folder string, d *crd.CRD) (*ownership.Kind, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*", d.Plural+".json"))
	if err != nil {
		return nil, fmt.Errorf("find property histories: %w", err)
	}
	for _, file := range files {
		text, err := bounded.ReadFile(file, ownership.MaxBytes)
		if err != nil {
			return nil, fmt.Errorf("read property histories %s: %w", file, err)
		}
		kind, err := ownership.Read(text)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", file, err)
		case kind.Group == d.Group && kind.Plural == d.Plural:
			return kind, nil
		}
	}
	return nil, fmt.Errorf("%s %w of %s: name the folder histories that strata generate writes", folder, errNoHistories, d.Name())
}

var errNoHistories = errors.New("has no property histories")

// removed returns a function that finds a value that a write of an object would remove: one that
// the storage version lacks, in an object that may be stored in another version. It returns nil
// where a webhook converts objects, and where schemas are equal. Versions that are not served
// cannot be read.
func removed(d *crd.CRD, c dynamic.Interface) (func(context.Context, *metav1.PartialObjectMetadata) (string, error), error) {
	var versions []string
	for _, v := range d.Others() {
		if d.Prunes && slices.Contains(d.Stored, v) && !bytes.Equal(d.Schemas[v], d.Schemas[d.Hub()]) {
			versions = append(versions, v)
		}
	}
	if len(versions) == 0 {
		return nil, nil
	}
	find, err := rewrite.Pruned(d.Schemas[d.Hub()])
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, m *metav1.PartialObjectMetadata) (string, error) {
		for _, v := range versions {
			got, err := c.Resource(d.Resource(v)).Namespace(m.Namespace).Get(ctx, m.Name, metav1.GetOptions{})
			if err != nil {
				return "", err
			}
			if path := find(got.Object); path != "" {
				return path, nil
			}
		}
		return "", nil
	}, nil
}

// progress prints a line every few seconds.
type progress struct {
	out         io.Writer
	kind        string
	began, last time.Time
}

const interval = 5 * time.Second

func (p *progress) show(r rewrite.Report, left int64) {
	now := time.Now()
	if now.Sub(p.last) < interval {
		return
	}
	p.last = now
	speed := float64(r.Objects) / now.Sub(p.began).Seconds()
	fmt.Fprintf(p.out, "%s: %s done, %d left, %.0f a second, %s to go\n", p.kind, objects(r.Objects), left, speed,
		(time.Duration(float64(left)/speed) * time.Second).Round(time.Second))
}

// migrated is the result of migrate.
type migrated struct {
	Kind    string `json:"kind"`
	Version string `json:"version"`
	rewrite.Report
	// Dependents are objects with owner references to the kind; nil if they were not asked for.
	Dependents *dependents.Healed `json:"dependents,omitempty"`
	// Shortened is the evidence for status.storedVersions; nil if it was not shortened.
	Shortened *shortened `json:"shortened,omitempty"`
}

// Table prints the result as text.
func (m *migrated) Table(w io.Writer) {
	fmt.Fprintf(w, "%s: %s, to be stored in %s\n", m.Kind, objects(m.Objects), m.Version)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "WHAT\tOBJECTS\tEXAMPLE")
	for _, line := range []struct {
		what  string
		count int
	}{{"stored anew", m.Written}, {"stored in this version already", m.Unchanged}, {"deleted meanwhile", m.Gone}} {
		fmt.Fprintf(t, "%s\t%d\t\n", line.what, line.count)
	}
	for _, line := range []struct {
		what string
		rewrite.Finding
	}{{"owned fields that the version lacks", m.Lost}, {"owned fields of hand-written steps", m.Inexact}, {"cannot be written", m.Poison}} {
		example := ""
		if len(line.Examples) > 0 {
			example = terminal.Line(line.Examples[0].Object + ": " + line.Examples[0].Reason)
		}
		fmt.Fprintf(t, "%s\t%d\t%s\n", line.what, line.Objects, example)
	}
	if of := m.Dependents; of != nil {
		fmt.Fprintf(t, "owner references healed\t%d\t\n", of.Written)
		example := ""
		if len(of.Examples) > 0 {
			example = terminal.Line(of.Examples[0].Object + ": " + of.Examples[0].Reason)
		}
		fmt.Fprintf(t, "owner references that cannot be healed\t%d\t%s\n", of.Failed, example)
		for _, u := range of.Unread {
			fmt.Fprintf(t, "owner references not read\t\t%s\n", terminal.Line(u.Resource+": "+u.Reason))
		}
	}
	_ = t.Flush() // the writer's own error is returned to the caller
	if of := m.Shortened; of != nil {
		fmt.Fprintf(w, "no object is stored in another version, as two lists after the marker %s show; status.storedVersions is %s\n",
			of.Marker, strings.Join(of.Stored, ", "))
	}
}

func objects(n int) string {
	if n == 1 {
		return "1 object"
	}
	return fmt.Sprintf("%d objects", n)
}
