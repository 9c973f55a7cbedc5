package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/dependents"
	"github.com/stratakube/strata/operator/cluster/internal/evidence"
	"github.com/stratakube/strata/operator/cluster/internal/intree"
	"github.com/stratakube/strata/operator/cluster/internal/lease"
	"github.com/stratakube/strata/operator/cluster/internal/pack"
	"github.com/stratakube/strata/operator/cluster/internal/record"
	"github.com/stratakube/strata/operator/cluster/internal/replicas"
	"github.com/stratakube/strata/operator/cluster/internal/rewrite"
	"github.com/stratakube/strata/operator/cluster/internal/stages"
	"github.com/stratakube/strata/operator/cluster/internal/terminal"
	"github.com/stratakube/strata/operator/cluster/internal/upgrade"
)

// performing has the flags of the commands that work on an upgrade.
type performing struct {
	migration
	dir       string
	grace     time.Duration
	namespace string
	duration  time.Duration
	webhooks  []string
	port      int
	trust     bool
	unread    bool
	findings  bool
	final     bool // --yes is needed
	yes       bool
	with      string
	evidence  string      // the file to write the evidence to; may be empty
	again     bool        // the evidence is made anew
	given     func() bool // reports whether the command line has --rate
}

func (p *performing) flags(c *cobra.Command) {
	p.migration.add(c)
	c.Flags().StringVar(&p.as, "as", "", "the `user` to impersonate for writes of objects")
	c.Flags().StringVar(&p.dir, "package", "", "the `folder` that strata generate has written, with its folders crds and histories")
	c.Flags().StringArrayVar(&p.servers, "server", nil, "the `URL` of an API server to ask for the storage version; can be repeated. By default those of the service default/kubernetes")
	c.Flags().DurationVar(&p.wait, "settle", 0, "wait for this `time`, rather than ask each API server for the storage version")
	c.Flags().DurationVar(&p.grace, "grace", time.Minute, "the longest `time` that a request takes: kube-apiserver's --request-timeout")
	c.Flags().IntVar(&p.rate, "rate", defaultRate, "the maximum `number` of writes a second, which spec.rate of the upgrade stores. By default that of the last run")
	p.given = func() bool { return c.Flags().Changed("rate") }
	c.Flags().StringVar(&p.namespace, "lease-namespace", "default", "the `namespace` of the lease that lets one process work at a time")
	c.Flags().DurationVar(&p.duration, "lease-duration", 15*time.Second, "how long the lease of a killed process stays")
	c.Flags().StringArrayVar(&p.webhooks, "webhook", nil, "the `URL` of the probes of a replica of the webhook; can be repeated. By default its pods are asked through the API server")
	c.Flags().IntVar(&p.port, "webhook-port", replicas.DefaultPort, "the `port` of the probes of the webhook's pods that name none")
	c.Flags().BoolVar(&p.trust, "trust-webhook", false, "ask no replica of the webhook which versions it converts")
	addMigrator(c, &p.with)
	c.Flags().BoolVar(&p.unread, "ignore-unread", false, "go on if the owner references of some resources cannot be read")
	c.Flags().StringVarP(&p.form, "output", "o", "table", "the `form` of the result: table or json")
}

func (p *performing) check() error {
	switch {
	case p.final && !p.yes:
		return errors.New("no rollback is possible after prune: add --yes to confirm it")
	case p.rate < 1 || p.rate > maxRate:
		return fmt.Errorf("--rate is between 1 and %d, not %d", maxRate, p.rate)
	case p.wait < 0 || p.wait > 0 && len(p.servers) > 0:
		return errors.New("--settle is a time to wait, in place of --server")
	case p.grace < 0 || p.duration < time.Second:
		return errors.New("--grace must not be below zero, and --lease-duration not below a second")
	case p.form != "table" && p.form != "json":
		return fmt.Errorf("-o is table or json, not %q", p.form)
	}
	return checkMigrator(p.with)
}

// The programs that write objects: this one, and the migrator of Kubernetes.
const (
	strataMigrator = "strata"
	inTree         = "in-tree"
)

// addMigrator adds the flag that names one of them.
func addMigrator(c *cobra.Command, with *string) {
	c.Flags().StringVar(with, "with", strataMigrator, "the `migrator` that writes the objects: strata, or in-tree for the one of Kubernetes, which has no rate and no pause")
}

func checkMigrator(with string) error {
	if with != strataMigrator && with != inTree {
		return fmt.Errorf("--with is %s or %s, not %q", strataMigrator, inTree, with)
	}
	return nil
}

// starts is how long that migrator may not begin. It looks for custom resources every 30 seconds.
const starts = 2 * time.Minute

// command completes a command that works on an upgrade towards a goal. Its argument is the file of
// a plan that read returns; without read, the name of an upgrade.
func (p *performing) command(s Streams, c *cobra.Command, usage string, goal record.Goal, read func(file string) (*upgrade.Plan, error)) *cobra.Command {
	c.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 1 || read != nil && len(args) == 0 || p.dir == "" {
			return errors.New(usage + ", and --package with the folder of its package")
		}
		return p.check()
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		if read == nil {
			return p.work(c.Context(), s, nil, first(args), goal)
		}
		plan, err := read(first(args))
		if err != nil {
			return err
		}
		return p.work(c.Context(), s, plan, "", goal)
	}
	p.flags(c)
	return c
}

func applyCommand(s Streams) *cobra.Command {
	var p performing
	c := p.command(s, &cobra.Command{
		Use:   "apply FILE --package FOLDER",
		Short: "store all objects in the storage versions of a package",
		Long: "apply does what a saved plan describes, stage by stage: it asks the webhook, changes the CRDs, waits for all\n" +
			"API servers, writes the objects, heals owner references, and proves the result. It refuses if the CRDs are not\n" +
			"as the plan found them. The state is in the cluster: after a kill, run it again, anywhere. Versions that go\n" +
			"stay until strata cluster upgrade prune, and strata cluster upgrade rollback leads back until then.",
		Example: "  strata cluster upgrade apply plan.json --package ./api --as system:serviceaccount:strata-system:strata-migrator",
	}, "apply takes the file of a plan", record.Upgraded, func(file string) (*upgrade.Plan, error) {
		return p.accepted(file, "the plan")
	})
	p.accepting(c, "apply a plan with findings")
	return c
}

// accepting adds the flag of the commands that apply plans.
func (p *performing) accepting(c *cobra.Command, usage string) {
	c.Flags().BoolVar(&p.findings, "accept-findings", false, usage)
}

// accepted reads the file of a plan. It is an error if the plan, which messages name as what, has
// findings that the user does not accept.
func (p *performing) accepted(file, what string) (*upgrade.Plan, error) {
	plan, err := upgrade.Read(file)
	if err == nil && plan.Failed() && !p.findings {
		err = fmt.Errorf("%s has findings: mend them, or add --accept-findings after you have read them", what)
	}
	return plan, err
}

func rollbackCommand(s Streams) *cobra.Command {
	var p performing
	return p.command(s, &cobra.Command{
		Use:   "rollback [NAME] --package FOLDER",
		Short: "store all objects in the storage versions before an upgrade",
		Long: "rollback does the stages of an upgrade in the other direction, with the same evidence. It refuses if a replica of\n" +
			"the webhook does not convert a version that is stored or served. It is possible until the upgrade is pruned.",
		Example: "  strata cluster upgrade rollback --package ./api --as system:serviceaccount:strata-system:strata-migrator",
	}, "rollback takes the name of an upgrade", record.RolledBack, nil)
}

func pruneCommand(s Streams) *cobra.Command {
	p := performing{final: true}
	c := p.command(s, &cobra.Command{
		Use:   "prune [NAME] --package FOLDER --yes",
		Short: "remove the versions that go, for good",
		Long: "prune is the point of no return of an upgrade. It stops serving the versions that go, proves again that no\n" +
			"object is stored in them or names them, shortens status.storedVersions, and removes them from the CRDs. After\n" +
			"a rollback, the folder is that of the package before.",
		Example: "  strata cluster upgrade prune --package ./api --yes\n  strata cluster upgrade prune --package ./api --yes --save-evidence evidence/west.json",
	}, "prune takes the name of an upgrade", record.Pruned, nil)
	p.proving(c)
	c.Flags().BoolVar(&p.yes, "yes", false, "confirm that no rollback is possible afterwards")
	return c
}

// verifyCommand proves the goal of an upgrade anew.
func verifyCommand(s Streams) *cobra.Command {
	p := performing{again: true}
	c := p.command(s, &cobra.Command{
		Use:   "verify [NAME] --package FOLDER",
		Short: "prove again that all objects are stored in the storage versions of an upgrade",
		Long: "verify reads all objects again, and writes those without a change that have no evidence in their resource\n" +
			"version. It works towards the goal that the upgrade has reached.",
	}, "verify takes the name of an upgrade", "", nil)
	p.proving(c)
	return c
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// work brings an upgrade to a goal, under the lease.
func (p *performing) work(ctx context.Context, s Streams, plan *upgrade.Plan, name string, goal record.Goal) error {
	s.Err = &shared{inner: s.Err} // the stages and the watch of the spec write to it
	brought, err := pack.Read(p.dir)
	if err != nil {
		return err
	}
	if plan != nil && plan.Package != brought.Digest {
		return fmt.Errorf("the plan is about another package than %s: make the plan again", p.dir)
	}
	p.waits = func(line string) { fmt.Fprintln(s.Err, terminal.Line(line)) }
	user := p.access
	user.as = ""
	on, err := user.open()
	if err != nil {
		return err
	}
	store := record.Store{Client: on.objects}
	if plan != nil {
		name = nameOf(plan)
	} else {
		u, err := store.Get(ctx, name)
		if err != nil {
			return err
		}
		name = u.Name
	}
	j := job{performing: p, on: on, store: store, plan: plan, name: name, goal: goal, brought: brought, streams: s}
	for {
		err := j.hold(ctx)
		if !errors.Is(err, lease.ErrLost) || ctx.Err() != nil {
			return err
		}
		fmt.Fprintln(s.Err, terminal.Line(err.Error()))
	}
}

// nameOf returns the name of the upgrade of a plan.
func nameOf(plan *upgrade.Plan) string { return "upgrade-" + plan.Digest[len("sha256:"):][:12] }

// job is the work of a process on an upgrade.
type job struct {
	*performing
	on      *cluster
	store   record.Store
	plan    *upgrade.Plan
	name    string
	goal    record.Goal
	brought *pack.Package
	streams Streams
	aimed   bool // the upgrade has the goal
}

// hold works until the upgrade has reached its goal, or the lease is lost.
func (j *job) hold(ctx context.Context) error {
	host, _ := os.Hostname()
	leased, end, err := lease.Hold(ctx, lease.Options{
		Client: j.on.objects, Namespace: j.namespace, Name: "strata-cluster-upgrade", Holder: fmt.Sprintf("%s-%d-%s", host, os.Getpid(), rand.Text()[:8]),
		Duration: j.duration, Waits: func(holder string) { fmt.Fprintf(j.streams.Err, "waits for the process %s\n", terminal.Line(holder)) },
	})
	if err != nil {
		return err
	}
	defer end()
	u, err := j.do(leased)
	if cause := context.Cause(leased); err != nil && cause != nil {
		err = fmt.Errorf("%w\nrun the command again to go on", cause)
	}
	if u != nil && !errors.Is(err, lease.ErrLost) {
		if showErr := show(j.streams.Out, j.form, (*state)(u)); showErr != nil {
			return showErr
		}
	}
	if err != nil || j.evidence == "" {
		return err
	}
	proved, err := evidence.Of(leased, j.on.objects, u)
	if err != nil {
		return err
	}
	return proved.Save(j.evidence)
}

// do does the stages that are left. It gives the upgrade its goal once: if the lease is lost and
// another process gives it another goal, that one stays.
func (j *job) do(ctx context.Context) (*record.Upgrade, error) {
	switch {
	case j.again:
	case j.aimed:
		u, err := j.store.Get(ctx, j.name)
		if err != nil {
			return nil, err
		}
		if u.Spec.Goal != j.goal {
			return nil, fmt.Errorf("another process has given upgrade %s the goal %s", j.name, u.Spec.Goal)
		}
	default:
		if err := j.aim(ctx, j.store, j.plan, j.name, j.goal, j.brought); err != nil {
			return nil, err
		}
		if j.given() {
			if _, err := j.store.Set(ctx, j.name, map[string]any{"rate": j.rate}); err != nil {
				return nil, err
			}
		}
		j.aimed = true
	}
	tools, err := j.tools(j.on, j.store, j.plan, j.brought, j.streams)
	if err != nil {
		return nil, err
	}
	return stages.Work(ctx, j.name, tools)
}

// proving adds the flag of the commands that write evidence.
func (p *performing) proving(c *cobra.Command) {
	c.Flags().StringVar(&p.evidence, "save-evidence", "", "a `file` to write the evidence to, which strata generate reads before it prunes versions")
}

// aim creates the upgrade, or gives it another goal.
func (p *performing) aim(ctx context.Context, store record.Store, plan *upgrade.Plan, name string, goal record.Goal, brought *pack.Package) error {
	if plan != nil {
		if err := store.Install(ctx); err != nil {
			return err
		}
		if _, err := store.Create(ctx, &record.Upgrade{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: specOf(plan, p.rate)}); err != nil {
			return err
		}
	}
	u, err := store.Get(ctx, name)
	if err != nil {
		return err
	}
	is := func(condition record.Goal) bool {
		return meta.IsStatusConditionTrue(u.Status.Conditions, string(condition))
	}
	before := map[bool]record.Goal{false: record.Upgraded, true: record.RolledBack}[u.Spec.Back]
	switch {
	case goal == record.Pruned && !is(before):
		return fmt.Errorf("upgrade %s has not reached the goal %s: strata cluster upgrade status shows why", name, before)
	case goal == record.Pruned:
		return p.prunable(ctx, store, u, brought)
	}
	if u.Spec.Goal == goal {
		return nil
	}
	if err := stages.Reversible(ctx, store.Client, u); err != nil {
		return err
	}
	_, err = store.Set(ctx, name, map[string]any{"goal": goal, "back": goal == record.RolledBack})
	return err
}

// prunable sets the goal of an upgrade if the package has its storage versions.
func (p *performing) prunable(ctx context.Context, store record.Store, u *record.Upgrade, brought *pack.Package) error {
	if !u.Spec.Back && brought.Digest != u.Spec.Package {
		return fmt.Errorf("%s is not the package of upgrade %s", p.dir, u.Name)
	}
	for i := range u.Spec.Kinds {
		k := &u.Spec.Kinds[i]
		at := slices.IndexFunc(brought.CRDs, func(d *crd.CRD) bool { return d.Name() == k.CRD })
		if k.From != "" && (at < 0 || brought.CRDs[at].Hub() != u.Spec.Target(k)) {
			return fmt.Errorf("%s does not store %s in %s: name the package that does", p.dir, k.CRD, u.Spec.Target(k))
		}
	}
	_, err := store.Set(ctx, u.Name, map[string]any{"goal": record.Pruned})
	return err
}

// specOf returns the upgrade of a plan.
func specOf(plan *upgrade.Plan, rate int) record.Spec {
	out := record.Spec{Plan: plan.Digest, Package: plan.Package, Goal: record.Upgraded, Rate: rate}
	for i := range plan.Kinds {
		k := &plan.Kinds[i]
		out.Kinds = append(out.Kinds, record.Kind{
			CRD: k.CRD, UID: k.UID, From: k.From, To: k.To, Gone: append(slices.Clone(k.Gone), k.Unserved...), Added: k.Added,
			Rewrite: !k.New && (k.From != k.To || len(k.StoredVersions) > 1),
		})
	}
	return out
}

// tools returns what the stages work with. Objects are written as the user of --as, all else as the
// user.
func (p *performing) tools(on *cluster, store record.Store, plan *upgrade.Plan, brought *pack.Package, s Streams) (stages.Tools, error) {
	pace := rewrite.NewPace(p.rate)
	m := p.migration
	m.watch = pace.Transport
	writer, err := m.open()
	if err != nil {
		return stages.Tools{}, err
	}
	if histories := filepath.Join(p.dir, "histories"); isFolder(histories) {
		m.histories = histories
	}
	bars := map[string]*progress{}
	var elsewhere func(ctx context.Context, d *crd.CRD, name string, stored []string) error
	if p.with == inTree {
		elsewhere = func(ctx context.Context, d *crd.CRD, name string, stored []string) error {
			return intree.Migrate(ctx, d, intree.Options{
				Client: on.objects, Name: name, Stored: stored, Manager: record.Manager, Poll: firstPause, Patience: starts,
				Progress: func(message string) { fmt.Fprintln(s.Err, terminal.Line(d.Name()+": "+message)) },
			})
		}
	}
	return stages.Tools{
		Elsewhere: elsewhere,
		CRDs:      on.objects, Store: store, Plan: plan, Package: brought, Again: p.again, All: p.evidence != "", Grace: p.grace, Pace: pace,
		Replicas: func(ctx context.Context, d *crd.CRD, versions []string) (int, error) {
			if p.trust {
				return 0, nil
			}
			return replicas.Check(ctx, d, versions, replicas.Options{URLs: p.webhooks, Port: p.port, Client: on.objects, Raw: server{on.discovery}.Raw})
		},
		Await: func(ctx context.Context, d *crd.CRD, unserved []string) error {
			m.unserved = unserved
			return m.awaitServers(ctx, d, on.config, s.Err)
		},
		Rewriting: func(d *crd.CRD, going []string) (rewrite.Options, error) {
			of := m
			of.gone = going
			return of.options(d, writer, pace)
		},
		Heal: func(ctx context.Context, owners []dependents.Owner) (dependents.Healed, error) {
			report, err := dependents.Heal(ctx, dependents.Options{Server: on.discovery, Client: on.metadata, Owners: owners}, pace.Wait)
			if p.unread {
				report.Unread = nil
			}
			return report, err
		},
		Log: func(line string) { fmt.Fprintln(s.Err, terminal.Line(line)) },
		Progress: func(crd string, r rewrite.Report, left int64) {
			if bars[crd] == nil {
				bars[crd] = &progress{out: s.Err, kind: crd, began: time.Now(), last: time.Now()}
			}
			bars[crd].show(r, left)
		},
	}, nil
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
