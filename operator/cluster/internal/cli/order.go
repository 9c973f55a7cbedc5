package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/stratakube/strata/operator/cluster/internal/bounded"
	"github.com/stratakube/strata/operator/cluster/internal/record"
	"github.com/stratakube/strata/operator/cluster/internal/terminal"
	"github.com/stratakube/strata/operator/cluster/internal/upgrade"
)

// The fixed values at the head of the file with the order of clusters.
const (
	orderVersion = "cluster.strata.dev/v1alpha1"
	orderKind    = "FleetUpgrade"
)

// confirm is the pause that ends when the user confirms it.
const confirm = "confirm"

// maxOrder is the size of the largest file with an order.
const maxOrder = 1 << 20

// order is the order in which clusters are upgraded.
type order struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Plans is the folder that plan --contexts --save has written, from the folder of the file.
	Plans string `json:"plans"`
	Waves []wave `json:"waves"`
}

// wave is a list of clusters, of which each is upgraded after the one before.
type wave struct {
	Name     string   `json:"name"`
	Contexts []string `json:"contexts"`
	// Pause is what has to pass before the next wave begins: a time since the wave has ended, such as
	// 24h, or the word confirm. Empty means none.
	Pause string `json:"pause,omitempty"`
}

// duration returns the time of a pause, or whether the user has to confirm it.
func (w *wave) duration() (d time.Duration, confirms bool, err error) {
	if w.Pause == "" || w.Pause == confirm {
		return 0, w.Pause == confirm, nil
	}
	if d, err = time.ParseDuration(w.Pause); err != nil || d < 0 {
		return 0, false, fmt.Errorf("wave %s: pause is a time such as 24h, or %s, not %q", w.Name, confirm, w.Pause)
	}
	return d, false, nil
}

// readOrder reads a file.
func readOrder(file string) (*order, error) {
	text, err := bounded.ReadFile(file, maxOrder)
	if err != nil {
		return nil, fmt.Errorf("read order %s: %w", file, err)
	}
	o := &order{}
	if err := yaml.UnmarshalStrict(bytes.TrimSpace(text), o); err != nil {
		return nil, fmt.Errorf("read order %s: %w", file, err)
	}
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("read order %s: %w", file, err)
	}
	if !filepath.IsAbs(o.Plans) {
		o.Plans = filepath.Join(filepath.Dir(file), o.Plans)
	}
	return o, nil
}

func (o *order) check() error {
	switch {
	case o.APIVersion != orderVersion || o.Kind != orderKind:
		return fmt.Errorf("it begins with apiVersion: %s and kind: %s", orderVersion, orderKind)
	case o.Plans == "":
		return errors.New("plans is missing: name the folder that strata cluster upgrade plan --contexts --save has written")
	case len(o.Waves) == 0:
		return errors.New("waves is empty")
	}
	var names, contexts []string
	for i := range o.Waves {
		w := &o.Waves[i]
		switch {
		case w.Name == "":
			return fmt.Errorf("waves[%d] has no name", i)
		case slices.Contains(names, w.Name):
			return fmt.Errorf("two waves have the name %s", w.Name)
		case len(w.Contexts) == 0:
			return fmt.Errorf("wave %s has no contexts", w.Name)
		}
		if _, _, err := w.duration(); err != nil {
			return err
		}
		for _, c := range w.Contexts {
			if c == "" || slices.Contains(contexts, c) {
				return fmt.Errorf("wave %s: %q is no context, or is in the order twice", w.Name, c)
			}
			contexts = append(contexts, c)
		}
		names = append(names, w.Name)
	}
	return nil
}

// ordered has the flags of fleet.
type ordered struct {
	performing
	confirmed []string
	plan      map[string]*upgrade.Plan // by context
}

func fleetCommand(s Streams) *cobra.Command {
	var p ordered
	c := &cobra.Command{
		Use:   "fleet FILE --package FOLDER",
		Short: "apply the plans of several clusters, one cluster after the other",
		Long: "fleet applies plans in the order of a file. The next cluster begins when the one before is upgraded and proved.\n" +
			"The command ends at the first cluster that is not, and at a pause of the file. Run it again to go on: it finds\n" +
			"in the clusters what is done.",
		Example: "  strata cluster upgrade plan ./api --converter 'strata-webhook convert' --contexts all --save plans\n" +
			"  strata cluster upgrade fleet order.yaml --package ./api\n" +
			"  strata cluster upgrade fleet order.yaml --package ./api --confirm canary",
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) != 1 || p.dir == "":
				return errors.New("fleet takes the file with the order of clusters, and --package with the folder of their package")
			case p.access.context != "":
				return errors.New("--context is for one cluster: the file names the contexts")
			case len(p.servers) > 0 || len(p.webhooks) > 0:
				return errors.New("--server and --webhook belong to one cluster: for several, use --settle and --trust-webhook, or apply to each")
			}
			return p.check()
		},
		RunE: func(c *cobra.Command, args []string) error {
			o, err := readOrder(args[0])
			if err != nil {
				return err
			}
			return p.run(c.Context(), o, s)
		},
	}
	p.flags(c)
	p.accepting(c, "apply plans with findings")
	c.Flags().StringArrayVar(&p.confirmed, "confirm", nil, "go on after this `wave`; can be repeated")
	return c
}

// run upgrades the clusters in their order.
func (p *ordered) run(ctx context.Context, o *order, s Streams) error {
	for _, name := range p.confirmed {
		if !slices.ContainsFunc(o.Waves, func(w wave) bool { return w.Name == name && w.Pause == confirm }) {
			return fmt.Errorf("--confirm names %q, and no wave of this name has pause: %s", name, confirm)
		}
	}
	if err := p.plans(o); err != nil {
		return err
	}
	out := fleetState{}
	err := p.waves(ctx, o, &out, s)
	for i := range o.Waves { // those that have not begun
		for _, context := range o.Waves[i].Contexts {
			if !slices.ContainsFunc(out.Clusters, func(m memberState) bool { return m.Context == context }) {
				out.Clusters = append(out.Clusters, memberState{Wave: o.Waves[i].Name, Context: context, State: "waits"})
			}
		}
	}
	if showErr := show(s.Out, p.form, &out); showErr != nil {
		return showErr
	}
	return err
}

// plans reads all plans, so that a missing one is found before the first cluster changes.
func (p *ordered) plans(o *order) error {
	p.plan = map[string]*upgrade.Plan{}
	for _, w := range o.Waves {
		for _, context := range w.Contexts {
			plan, err := p.accepted(filepath.Join(o.Plans, url.PathEscape(context)+".json"), "the plan of "+context)
			if err != nil {
				return fmt.Errorf("wave %s: %w", w.Name, err)
			}
			p.plan[context] = plan
		}
	}
	return nil
}

func (p *ordered) waves(ctx context.Context, o *order, out *fleetState, s Streams) error {
	for i := range o.Waves {
		w := &o.Waves[i]
		var ended time.Time
		for _, name := range w.Contexts {
			m, err := p.cluster(ctx, w, name, s)
			out.Clusters = append(out.Clusters, *m)
			if err != nil {
				return fmt.Errorf("wave %s, cluster %s: %w\nno later cluster has begun", w.Name, name, err)
			}
			if m.Since.After(ended) {
				ended = m.Since
			}
		}
		d, confirms, err := w.duration()
		switch {
		case err != nil:
			return err
		case i == len(o.Waves)-1:
			return nil
		case confirms && !slices.Contains(p.confirmed, w.Name):
			fmt.Fprintf(s.Err, "wave %s is upgraded: check it, then continue with --confirm %s\n", w.Name, w.Name)
			return errFindings
		case time.Since(ended) < d:
			fmt.Fprintf(s.Err, "wave %s is upgraded: the next one can begin at %s\n", w.Name, ended.Add(d).UTC().Format(time.RFC3339))
			return errFindings
		}
	}
	return nil
}

// cluster upgrades one cluster, unless it is upgraded.
func (p *ordered) cluster(ctx context.Context, w *wave, name string, s Streams) (*memberState, error) {
	m := &memberState{Wave: w.Name, Context: name, State: "fails"}
	one := p.performing
	one.access.context = name
	plan := p.plan[name]
	if err := one.access.reach(ctx, patience); err != nil {
		return m, err
	}
	on, err := one.access.open()
	if err != nil {
		return m, err
	}
	store := record.Store{Client: on.objects}
	u, err := store.Get(ctx, nameOf(plan))
	switch {
	case apierrors.IsNotFound(err) || errors.Is(err, record.ErrNone):
	case err != nil:
		return m, err
	case u.Spec.Goal == record.RolledBack:
		m.State = string(u.Spec.Goal)
		return m, errors.New("it was rolled back: run strata cluster upgrade apply for it, or remove it from the order")
	case m.finish(u):
		return m, nil
	}
	progress := &prefixing{inner: s.Err, prefix: terminal.Line(name) + ": "}
	if err := one.work(ctx, Streams{Out: io.Discard, Err: progress}, plan, "", record.Upgraded); err != nil {
		return m, err
	}
	if u, err = store.Get(ctx, nameOf(plan)); err != nil {
		return m, err
	}
	if !m.finish(u) {
		return m, errors.New("it is not upgraded: another process has set another goal")
	}
	return m, nil
}

// prefixing puts a prefix before each line.
type prefixing struct {
	inner  io.Writer
	prefix string
}

// Write writes lines.
func (p *prefixing) Write(text []byte) (int, error) {
	var out strings.Builder
	for line := range strings.Lines(string(text)) {
		out.WriteString(p.prefix + line)
	}
	if _, err := io.WriteString(p.inner, out.String()); err != nil {
		return 0, err
	}
	return len(text), nil
}

// fleetState is what was done with the clusters of an order.
type fleetState struct {
	Clusters []memberState `json:"clusters"`
}

// memberState is what was done with a cluster.
type memberState struct {
	Wave    string    `json:"wave"`
	Context string    `json:"context"`
	State   string    `json:"state"`
	Since   time.Time `json:"since,omitzero"`
}

// finish sets the state and its time if an upgrade is done, or pruned. It reports whether it is.
func (m *memberState) finish(u *record.Upgrade) bool {
	c := meta.FindStatusCondition(u.Status.Conditions, string(record.Upgraded))
	if c == nil || c.Status != "True" || u.Spec.Goal == record.RolledBack {
		return false
	}
	m.State, m.Since = string(record.Upgraded), c.LastTransitionTime.Time
	return true
}

// Table prints the result as text.
func (f *fleetState) Table(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "WAVE\tCLUSTER\tSTATE\tSINCE")
	for _, m := range f.Clusters {
		since := "-"
		if !m.Since.IsZero() {
			since = m.Since.UTC().Format(time.RFC3339)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", terminal.Line(m.Wave), terminal.Line(m.Context), m.State, since)
	}
	_ = t.Flush() // the writer's own error is returned to the caller
}
