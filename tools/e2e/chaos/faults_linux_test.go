package chaos_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/stratakube/strata/tools/armsim"
	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/env"
	"github.com/stratakube/strata/tools/e2e/fixtures"
	"github.com/stratakube/strata/tools/testcluster/apiserver"
)

// resync is how often operators look at each resource.
const resync = 20 * time.Second

// each is how many resources a round has: fewer where there are few rounds.
var each = tier.IfSoak(12, 24)

// storm is everything that goes wrong.
type storm struct {
	*testing.T
	*env.Env
	seed      uint64
	random    *rand.Rand
	operators []*env.Operator
	isShared  bool // all replicas reconcile, each a part of the namespaces
	crowds    []*fixtures.Set
	happened  map[string]int
	edited    int
	deleted   int
	orphaned  int           // external resources that are not as the objects say
	calm      time.Duration // until all was done
	strangers *strangers
	plugins   string // the folder of strata-arm
	races     string // reports of data races are in files that begin so

	duplicates int // resources that were created twice, though no client removed them
}

// upheavals are the faults of processes, one in each round.
var upheavals = []struct {
	name string
	do   func(*storm)
}{
	{"operator killed", (*storm).killsTheLeader},
	{"leader paused until another leads", (*storm).pausesTheLeader},
	{"plugin killed", func(s *storm) { s.signalsPlugins(syscall.SIGKILL) }},
	{"plugin hung", func(s *storm) { s.signalsPlugins(syscall.SIGSTOP) }},
	{"API server killed", (*storm).restartsTheServer},
}

func rounds() int {
	if *count > 0 {
		return *count
	}
	return tier.IfSoak(len(upheavals), 50)
}

// TestFaults is the whole storm.
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("short: does without an API server")
	}
	if *count == 0 && *report == "" {
		tier.Long(t, "breaks operators, plugins and an API server in rounds")
	}
	s := begin(t, false)
	s.rages()
	s.reports()
}

// TestFaultsWithShards is the storm with three replicas that share the namespaces.
func TestFaultsWithShards(t *testing.T) {
	if testing.Short() {
		t.Skip("short: does without an API server")
	}
	if *count == 0 {
		tier.Soak(t, "breaks replicas that share namespaces, in rounds")
	}
	begin(t, true).rages()
}

// rages has all rounds, and then compares the external API with the cluster.
func (s *storm) rages() {
	s.Helper()
	for round := range rounds() {
		s.round(round)
	}
	s.calms()
	s.strangers.trials.calm()
	s.strangers.doors.calm()
	s.strangers.calm(rounds() > len(upheavals))
	s.strangers.teams.calm()
	s.strangers.imports.calm()
	s.strangers.contests.calm()
	s.isAllWell()
	s.hasNoRaces()
}

var count = flag.Int("rounds", 0, "how many rounds there are; five, or fifty with STRATA_SOAK, without it")

var seedOf = flag.Uint64("seed", 0, "draws what an earlier storm drew; the time decides without it")

func begin(t *testing.T, isShared bool) *storm {
	t.Helper()
	programs, err := env.BuildOf(t.Context(), t.TempDir(), "./tools/e2e/teams/cmd/operator", "./tools/e2e/teams/cmd/webhook", buildFlags...)
	if err != nil {
		t.Fatal(err)
	}
	c, err := apiserver.Start(t.Context(), apiserver.Options{}) // of its own, since it is restarted
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	seed := *seedOf
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("the seed is %d", seed)
	s := &storm{T: t, isShared: isShared, seed: seed, random: rand.New(rand.NewPCG(seed, 0)), happened: map[string]int{}, plugins: programs.Plugins}
	s.Env, err = env.Open(t.Context(), env.Options{
		Programs: programs, Definitions: crdsOf(t, examples, teamsCRDs), Cluster: c,
		Simulator: armsim.Options{Schemas: []string{"../../../schemas/crm", "../teams/arm", "../teams/lockers"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Env.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := s.Define(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.races = filepath.Join(t.TempDir(), "race")
	s.Group.Env = append(s.Group.Env, "GORACE=log_path="+s.races)
	s.comeStrangers()
	s.strangers.watches()
	s.breaks(seed)
	for range 2 {
		s.starts()
	}
	if isShared {
		s.starts()
	}
	return s
}

// starts starts a replica.
func (s *storm) starts() {
	s.Helper()
	how := "--leader-elect"
	if s.isShared {
		how = "--shard-namespaces"
	}
	o, err := s.Operate(s.Context(), "--resync="+resync.String(), "--call-timeout=10s", how, "--leader-election-namespace=default",
		"--leader-election-lease=8s", "--leader-election-renew=6s", "--leader-election-retry=1s")
	if err != nil {
		s.Fatal(err)
	}
	s.operators = append(s.operators, o)
}

// round creates objects, and disturbs something while the operator reconciles them. It edits and
// deletes some objects of the round before.
func (s *storm) round(round int) {
	s.Helper()
	c, err := fixtures.New(s.Config, fmt.Sprintf("round-%d", round), each)
	if err != nil {
		s.Fatal(err)
	}
	if round > 0 {
		s.edits(s.crowds[round-1])
		s.deletes(s.crowds[round-1])
	}
	s.crowds = append(s.crowds, c)
	s.strangers.round(round)
	created := make(chan error, 1)
	go func() { created <- c.Create(s.Context()) }()
	time.Sleep(time.Duration(s.random.Int64N(int64(2 * time.Second))))
	u := upheavals[round%len(upheavals)]
	s.happened[u.name]++
	s.strangers.truth.disturbs(func() { u.do(s) })
	if err := <-created; err != nil {
		s.Fatal(err)
	}
}

// leader returns a replica that leads, or one that has shards, but not another one. It returns nil
// while there is none, or while the others do not have all shards. The identity in a Lease does not
// show which process it is, so each replica is asked.
func (s *storm) leader(but *env.Operator) *env.Operator {
	var leaders []*env.Operator
	taken := 0
	for _, o := range s.operators {
		if o == but {
			continue
		}
		if has := s.leads(o); has > 0 {
			leaders, taken = append(leaders, o), taken+has
		}
	}
	if len(leaders) == 0 || s.isShared && but != nil && taken < env.Shards {
		return nil
	}
	return leaders[rand.IntN(len(leaders))] // which processes have what is not drawn, either
}

// leads returns how many shards a replica has, or 1 if it leads. It is zero if the replica does not
// answer.
func (s *storm) leads(o *env.Operator) int {
	if s.isShared {
		has, _ := o.Shards()
		return has
	}
	metrics, _ := o.Metrics()
	for name, value := range metrics {
		if strings.HasPrefix(name, "leader_election_master_status") && strings.HasPrefix(value, "1") {
			return 1
		}
	}
	return 0
}

// awaitLeader waits until a replica leads that is not another.
func (s *storm) awaitLeader(but *env.Operator) *env.Operator {
	s.Helper()
	for range 600 {
		s.mends()
		if l := s.leader(but); l != nil {
			return l
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.Fatal("no operator leads")
	return nil
}

// mends replaces replicas that have ended because they could not renew their lease in time: an API
// server that restarts, and a busy machine, do that to them.
func (s *storm) mends() {
	s.Helper()
	for _, o := range slices.Clone(s.operators) {
		select {
		case <-o.Done():
			if printed := o.Output(); !strings.Contains(printed, "leader election lost") && !strings.Contains(printed, "the lease of a shard is lost") {
				s.Fatalf("a replica has ended\n%s", printed)
			}
			s.happened["lease lost by the way"]++
			s.strangers.truth.disturbs(func() { s.replaces(o) })
		default:
		}
	}
}

func (s *storm) killsTheLeader() {
	s.replaces(s.awaitLeader(nil))
}

// replaces kills a replica, and starts another one.
func (s *storm) replaces(o *env.Operator) {
	s.Helper()
	if err := o.Kill(); err != nil {
		s.Fatal(err)
	}
	s.operators = slices.DeleteFunc(s.operators, func(other *env.Operator) bool { return other == o })
	s.starts()
}

// pausesTheLeader stops the leader's process until another one leads. Then it continues the
// process, which must find out that it has lost the lease, and end.
func (s *storm) pausesTheLeader() {
	l := s.awaitLeader(nil)
	if err := l.Process.Signal(syscall.SIGSTOP); err != nil {
		s.Fatal(err)
	}
	s.operators = slices.DeleteFunc(s.operators, func(other *env.Operator) bool { return other == l })
	s.awaitLeader(l)
	if err := l.Process.Signal(syscall.SIGCONT); err != nil {
		s.Fatal(err)
	}
	select {
	case <-l.Done():
	case <-time.After(time.Minute):
		s.Error("a replica that has lost its lease goes on")
	}
	if err := l.Kill(); err != nil {
		s.Fatal(err)
	}
	s.starts()
}

// signalsPlugins sends a signal to all plugins of the leader.
func (s *storm) signalsPlugins(signal syscall.Signal) {
	for range 100 {
		children := childrenOf(s.T, s.awaitLeader(nil).Process)
		for _, child := range children {
			_ = child.Signal(signal) // it may have ended
		}
		if len(children) > 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.Fatal("the leader runs no plugin")
}

func (s *storm) restartsTheServer() {
	if err := s.RestartServer(s.Context()); err != nil {
		s.Fatal(err)
	}
}

// edits changes every fourth resource through the version that it was written in.
func (s *storm) edits(c *fixtures.Set) {
	s.Helper()
	for i := 1; i < len(c.Members); i += 4 {
		m := c.Members[i]
		patch := fmt.Sprintf(`{"spec":{"tags":{"edited":"%d"}}}`, s.random.IntN(1000))
		if m.Kind.Name == "PersonsNote" {
			patch = fmt.Sprintf(`{"spec":{"properties":{"text":"%d"}}}`, s.random.IntN(1000))
		}
		err := fixtures.Insist(s.Context(), func() error {
			_, err := s.of(c, m).Patch(s.Context(), m.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
			return err
		})
		if err != nil {
			s.Fatal(err)
		}
		s.edited++
	}
}

// deletes removes every sixth resource, but for the person that owns others.
func (s *storm) deletes(c *fixtures.Set) {
	s.Helper()
	for i := 5; i < len(c.Members); i += 6 {
		m := c.Members[i]
		err := fixtures.Insist(s.Context(), func() error {
			err := s.of(c, m).Delete(s.Context(), m.Name, metav1.DeleteOptions{})
			if apierrors.IsNotFound(err) {
				return nil
			}
			return err
		})
		if err != nil {
			s.Fatal(err)
		}
	}
	kept := c.Members[:0:0]
	for i, m := range c.Members {
		if i%6 != 5 {
			kept = append(kept, m)
		}
	}
	s.deleted += len(c.Members) - len(kept)
	c.Members = kept
}

// breaks has the external API misbehave, and half of what changes something take long.
func (s *storm) breaks(seed uint64) {
	s.Helper()
	s.faults(seed, append(refusals(), []armsim.Fault{
		{Mode: armsim.Throttle, Probability: 0.2, Path: "*/tenant-b-*", RetryAfter: 10 * second}, // one tenant
		{Mode: armsim.Throttle, Probability: 0.1, RetryAfter: second},
		{Mode: armsim.ServerError, Probability: 0.05},
		{Mode: armsim.ServerError, Probability: 0.05, Status: 503},
		{Mode: armsim.TimeoutAfterCommit, Probability: 0.1, Methods: []string{"PUT", "DELETE"}, Delay: second},
		{Mode: armsim.LoseOperation, Probability: 0.1},
		{Mode: armsim.FailOperation, Probability: 0.3, Methods: []string{"PUT"}, Path: "*/round-*"},
		{Mode: armsim.ResetConnection, Probability: 0.05},
		{Mode: armsim.Slow, Probability: 0.05, Delay: second},
	}...)...)
	rules := []armsim.OperationRule{
		{Methods: []string{"DELETE"}, Style: armsim.Both},
		{Type: "Microsoft.Crm/persons", Style: armsim.AsyncOperation},
		{Type: "Microsoft.Crm/parties", Style: armsim.Location},
		{Type: teamsType, Style: armsim.Location},
		{Type: "Microsoft.Crm/persons/notes", Style: armsim.StateOnly},
	}
	for i := range rules {
		rules[i].Fraction, rules[i].Duration = 0.5, second
	}
	if err := s.Simulator.SetOperations(rules); err != nil {
		s.Fatal(err)
	}
}

const second = armsim.Duration(time.Second)

// calms lets the external API behave, and waits until all is done.
func (s *storm) calms() {
	s.Helper()
	s.faults(0)
	ctx, cancel := context.WithTimeout(s.Context(), 10*time.Minute)
	defer cancel()
	began := time.Now()
	defer func() { s.calm = time.Since(began) }()
	s.awaitLeader(nil)
	for _, c := range s.crowds {
		if err := c.AwaitReady(ctx, func(string) { s.mends() }); err != nil {
			s.Fatalf("%v\n%s", err, s.stuck())
		}
	}
	for s.objects() > s.members() {
		select {
		case <-ctx.Done():
			s.Fatalf("%d objects are there, of %d that were not deleted", s.objects(), s.members())
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func (s *storm) members() int {
	sum := 0
	for _, c := range s.crowds {
		sum += len(c.Members)
	}
	return sum
}

// objects counts the objects in the cluster.
func (s *storm) objects() int {
	s.Helper()
	sum := 0
	for _, k := range fixtures.Kinds {
		list, err := s.crowds[0].Client.Resource(k.Resource(k.Hub)).Namespace(fixtures.Namespace).List(s.Context(), metav1.ListOptions{})
		if err != nil {
			s.Fatal(err)
		}
		sum += len(list.Items)
	}
	return sum
}

// isAllWell compares the external API with the cluster. Each resource must exist, be created
// once, and have its user's values in the user's version. No other resource may exist.
func (s *storm) isAllWell() {
	s.Helper()
	rest := map[string]armsim.Resource{}
	resources, err := s.Simulator.Resources()
	if err != nil {
		s.Fatal(err)
	}
	for _, r := range s.strangers.teams.areDone(s.strangers.areLeftAlone(s.strangers.trials.areDone(s.strangers.contests.areDone(s.strangers.imports.areDone(s.strangers.doors.areDone(resources)))))) {
		rest[strings.ToLower(r.Type+"/"+last(r.ID))] = r
	}
	for _, c := range s.crowds {
		for _, m := range c.Members {
			key := strings.ToLower(m.Type + "/" + m.Name)
			s.compare(c, m, rest[key])
			delete(rest, key)
		}
	}
	s.orphaned += len(rest)
	for key := range rest {
		s.Errorf("%s is left in the external API, and no object has it", key)
	}
	if s.duplicates = s.stats().Duplicates - s.strangers.anew; s.duplicates != 0 {
		s.Errorf("%d resources were created twice", s.duplicates)
	}
}

// hasNoRaces fails the test if an operator or a plugin has reported a data race.
func (s *storm) hasNoRaces() {
	s.Helper()
	files, err := filepath.Glob(s.races + ".*")
	if err != nil {
		s.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			s.Fatal(err)
		}
		s.Errorf("a process has reported\n%s", text)
	}
}

func (s *storm) stats() armsim.Stats {
	s.Helper()
	stats, err := s.Simulator.Stats()
	if err != nil {
		s.Fatal(err)
	}
	return stats
}

func last(id string) string { return id[strings.LastIndex(id, "/")+1:] }

// compare fails the test unless an external resource has the values of its object, in the version
// of its user.
func (s *storm) compare(c *fixtures.Set, m fixtures.Member, r armsim.Resource) {
	s.Helper()
	if r.ID == "" {
		s.orphaned++
		s.Errorf("%s %s is not in the external API", m.Type, m.Name)
		return
	}
	if r.Creates != 1 {
		s.Errorf("%s was created %d times", r.ID, r.Creates)
	}
	if r.APIVersion != m.External {
		s.orphaned++
		s.Errorf("%s was written in version %s, want %s", r.ID, r.APIVersion, m.External)
	}
	object, err := s.of(c, m).Get(s.Context(), m.Name, metav1.GetOptions{})
	if err != nil {
		s.Error(err)
		return
	}
	var body map[string]any
	if err := json.Unmarshal(r.Body, &body); err != nil {
		s.Fatal(err)
	}
	spec, _, _ := unstructured.NestedMap(object.Object, "spec")
	delete(spec, "owner")
	if diff := cmp.Diff(spec, body); diff != "" {
		s.orphaned++
		s.Errorf("%s is not what was written (-written +sent):\n%s", r.ID, diff)
	}
}

func (s *storm) of(c *fixtures.Set, m fixtures.Member) dynamic.ResourceInterface {
	return c.Client.Resource(m.Resource(m.Label)).Namespace(fixtures.Namespace)
}
