package planned_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/stratakube/strata/runtime/convert"
	"github.com/stratakube/strata/webhook"
	"github.com/stratakube/strata/webhook/engine"
	"github.com/stratakube/strata/webhook/internal/example"
	"github.com/stratakube/strata/webhook/internal/planned"
	"github.com/stratakube/strata/webhook/internal/typed"
	"github.com/stratakube/strata/webhook/telemetry"
)

// refused are objects of the worked example that its plans refuse.
var refused = []struct {
	why               convert.Refusal
	version, to, rest string
}{
	{convert.WrongType, "v20150505", hub, `,"spec":{"properties":{"displayName":7}}`},
	{convert.WrongType, "v20150505", hub, `,"spec":{"properties":{"displayName":null}}`},
	{convert.WrongType, "v20150505", "v20190909", `,"spec":[]`},
	{convert.UnknownMember, "v20150505", hub, `,"spec":{"colour":"red"}`},
	{convert.UnknownMember, "v20150505", hub, `,"colour":"red"`},
	{convert.RepeatedMember, "v20150505", hub, `,"spec":{"location":"a","location":"b"}`},
	{convert.RepeatedMember, hub, "v20150505", `,"spec":{},"spec":{}`},
	{convert.MissingMember, "v20150505", hub, `,"status":{"conditions":[{"type":"Ready"}]}`},
	{convert.RareSpelling, "v20150505", hub, `,"spec":{"l\u006fcation":"a"}`},
	{convert.RareSpelling, "v20150505", hub, `,"status":{"conditions":[{"type":"Ready","status":"True","observedGeneration":0,"lastTransitionTime":"2026-01-02T03:04:05Z","reason":"r","message":""}]}`},
	{convert.ReservedName, "v20150505", hub, `,"spec":{"tags":{"$propertyBag":"a"}}`},
	{convert.ReservedName, "v20150505", hub, `,"spec":{"$propertyBag":{"a":1}}`},
	{convert.UnclearBag, hub, "v20150505", `,"spec":{"$propertyBag":7}`},
	{convert.UnclearBag, hub, "v20190909", `,"spec":{"$propertyBag":{"\u0061":1}}`},
	{convert.DamagedStatusBag, "v20150505", hub, `,"status":{"propertyBag":"{"}`},
	{convert.DamagedStatusBag, "v20150505", "v20190909", `,"status":{"propertyBag":7}`},
	{convert.RawValues, "v20150505", hub, `,"status":{"propertyBag":"{\"fingerprints\":1,\"format\":1,\"raw\":{}}"}`},
	{convert.RawValues, hub, "v20190909", `,"spec":{"$propertyBag":{"location@v20150505!raw":7}}`},
	{convert.OriginalVersion, "v20150505", hub, `,"spec":{"location":"new"},"status":{"propertyBag":"{\"fingerprints\":1,\"format\":1,\"originalVersion\":\"v20190909\",\"shown\":\"AAAAAAAAAAA\",\"spec\":{\"bag\":{\"k\":1}}}"}`},
	{convert.Unplaced, "v20150505", hub, `,"spec":{},"status":{"propertyBag":"{\"fingerprints\":1,\"format\":1,\"spec\":{\"bag\":{\"l\":1,\"k\":1}}}"}`},
	{convert.TooLarge, hub, "v20190909", `,"spec":{"location":"` + strings.Repeat("x", 1<<20) + `","$propertyBag":{"k":1}}`},
	{convert.TooDeep, "v20150505", hub, `,"spec":{"properties":{"extensions":` + strings.Repeat("[", 9999) + strings.Repeat("]", 9999) + `}}`},
	{convert.NotJSON, "v20150505", hub, `,"spec":{"location":"\ud800","tags":nul}`},
}

// notInExample are the reasons that no object of the worked example has, each with its test.
var notInExample = map[convert.Refusal]string{
	convert.Incomplete:   "TestNoObjectIsGivenToEngineTwice, without an object that is complete",
	convert.Canceled:     "TestCanceledConversionsEnd",
	convert.NoPlan:       "TestKindsWithoutPlan",
	convert.OpenObject:   "TestRefusalsOfPlans of package convert",
	convert.SeveralSteps: "TestRefusalsOfPlans of package convert",
}

// calls counts the calls of each engine for one object.
type calls struct{ ahead, plan, types int }

// counted returns the engine of plans and that of types behind it, which count their calls.
func counted(t *testing.T) (engine.Engine, *calls) {
	t.Helper()
	scheme := k8sruntime.NewScheme()
	if err := example.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	byType, err := typed.New(scheme)
	if err != nil {
		t.Fatal(err)
	}
	n := new(calls)
	return countedPlans{planned.New(countedTypes{byType, n}), n}, n
}

type countedTypes struct {
	engine.Engine
	n *calls
}

func (c countedTypes) Converter(pair engine.Pair) engine.Converter {
	return countedType{c.Engine.Converter(pair), c.n}
}

type countedType struct {
	engine.Converter
	n *calls
}

func (c countedType) Append(ctx context.Context, dst, object []byte) ([]byte, error) {
	c.n.types++
	return c.Converter.Append(ctx, dst, object)
}

type countedPlans struct {
	engine.Engine
	n *calls
}

func (c countedPlans) Converter(pair engine.Pair) engine.Converter {
	plans, ok := c.Engine.Converter(pair).(engine.Eager)
	if !ok {
		return nil
	}
	return countedPlan{plans, c.n}
}

type countedPlan struct {
	engine.Eager
	n *calls
}

func (c countedPlan) Try(ctx context.Context, dst, object []byte) ([]byte, *engine.Refusal) {
	c.n.plan++
	return c.Eager.Try(ctx, dst, object)
}

func (c countedPlan) TryFirst(ctx context.Context, dst, text []byte, depth int) ([]byte, int, *engine.Refusal) {
	c.n.ahead++
	return c.Eager.TryFirst(ctx, dst, text, depth)
}

// counts sends an object to a handler that knows its route, or not, and returns the calls and the
// refusals that were counted.
func counts(t *testing.T, version, to, object string, isKnown bool) (got calls, refusals map[string]float64, answer string) {
	t.Helper()
	registry := prometheus.NewRegistry()
	tel, err := telemetry.New(telemetry.Options{Metrics: registry})
	if err != nil {
		t.Fatal(err)
	}
	e, n := counted(t)
	h := webhook.New(e, webhook.Options{Telemetry: tel})
	send := func(object string) string {
		w := httptest.NewRecorder()
		review := `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u","desiredAPIVersion":"crm.example.com/` + to + `","objects":[` + object + `]}}`
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, webhook.Path, strings.NewReader(review)))
		return w.Body.String()
	}
	if isKnown {
		send(partyOf(version, ""))
		*n = calls{}
	}
	answer = send(object)
	return *n, refusalsIn(t, registry), answer
}

func refusalsIn(t *testing.T, registry *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	byReason := map[string]float64{}
	for _, family := range families {
		if family.GetName() != "strata_conversion_refusals_total" {
			continue
		}
		for _, m := range family.GetMetric() {
			for _, label := range m.GetLabel() {
				if label.GetName() == "reason" {
					byReason[label.GetValue()] += m.GetCounter().GetValue()
				}
			}
		}
	}
	return byReason
}

// TestNoObjectIsGivenToEngineTwice counts the calls of each engine for every reason of a refusal.
func TestNoObjectIsGivenToEngineTwice(t *testing.T) {
	reached := map[convert.Refusal]bool{}
	for _, test := range refused {
		reached[test.why] = true
		for _, isKnown := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%.40s/%t", test.why, test.rest, isKnown), func(t *testing.T) {
				got, refusals, answer := counts(t, test.version, test.to, partyOf(test.version, test.rest), isKnown)
				want, wantRefusals := calls{plan: 1, types: 1}, fmt.Sprint(map[string]float64{test.why.String(): 1})
				switch isCut := len(test.rest) > 256<<10; {
				case isKnown && isCut:
					want.ahead = 1
				case isKnown:
					want.ahead, want.plan = 1, 0
				}
				converts := test.why != convert.NotJSON && test.why != convert.TooDeep
				if !converts { // reading the object reports the error
					want.plan, want.types, wantRefusals = 0, 0, "map[]"
				}
				if got != want || fmt.Sprint(refusals) != wantRefusals {
					t.Errorf("%+v and %v, want %+v and %s", got, refusals, want, wantRefusals)
				}
				if strings.Contains(answer, `"status":"Success"`) != converts {
					t.Errorf("the answer is %.1000s", answer)
				}
			})
		}
	}
	for _, test := range objects {
		if test.handedOn {
			continue
		}
		for isKnown, want := range map[bool]calls{false: {plan: 1}, true: {ahead: 1}} {
			got, refusals, _ := counts(t, test.version, test.to, partyOf(test.version, test.rest), isKnown)
			if got != want || len(refusals) > 0 {
				t.Errorf("%s: %+v and %v, want %+v", test.reason, got, refusals, want)
			}
		}
	}
	for _, why := range convert.Refusals() {
		if elsewhere := notInExample[why]; reached[why] == (elsewhere != "") {
			t.Errorf("an object is refused as %s: %t, and elsewhere: %q", why, reached[why], elsewhere)
		}
	}
}

// TestRefusedObjectsAreConvertedAlike compares the conversion after a refusal with that of the
// engine of types.
func TestRefusedObjectsAreConvertedAlike(t *testing.T) {
	byType, byPlan, handedOn := engines(t)
	for _, test := range refused {
		if test.why == convert.NotJSON {
			continue
		}
		*handedOn = 0
		pair := engine.Pair{Kind: party, From: test.version, To: test.to}
		checkSame(t, byType.Converter(pair), byPlan.Converter(pair), []byte(partyOf(test.version, test.rest)))
		_, refusal := byPlan.Converter(pair).(engine.Selective).Try(t.Context(), nil, []byte(partyOf(test.version, test.rest)))
		if isRefused := refusal != nil && refusal.Reason == test.why.String(); *handedOn != 1 || test.why != convert.TooDeep && !isRefused {
			t.Errorf("%s: handed on %d times, refused for %+v", test.why, *handedOn, refusal)
		}
	}
}

// TestEveryReasonHasSuccessor checks that the table names an engine for each reason.
func TestEveryReasonHasSuccessor(t *testing.T) {
	for _, why := range convert.Refusals() {
		if !planned.Knows(why) {
			t.Errorf("the table names no engine for %s", why)
		}
	}
}

// TestCanceledConversionsEnd checks that the engine of types gets no object whose client no
// longer waits.
func TestCanceledConversionsEnd(t *testing.T) {
	e, n := counted(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := fmt.Errorf("the client is gone")
	cancel(gone)
	c := e.Converter(engine.Pair{Kind: party, From: "v20150505", To: hub})
	out, err := engine.Convert(ctx, c, []byte("before"), []byte(partyOf("v20150505", "")), func(reason string) { t.Error(reason) })
	if err != gone || string(out) != "before" || *n != (calls{plan: 1}) {
		t.Errorf("%s, %v after %+v", out, err, n)
	}
}

// bare is a converter without a cost.
type bare struct{ engine.Converter }

type bareEngine struct{ engine.Engine }

func (b bareEngine) Converter(pair engine.Pair) engine.Converter {
	c := b.Engine.Converter(pair)
	if c == nil {
		return nil
	}
	return bare{c}
}

// TestKindsWithoutPlan checks that objects without a plan are given to the engine of types at
// once, and counted.
func TestKindsWithoutPlan(t *testing.T) {
	byType, _, _ := engines(t)
	other := party
	other.Kind = "Unplanned"
	pair := engine.Pair{Kind: other, From: "v1", To: "v2"}
	plans := planned.New(renamed{byType})
	c := plans.Converter(pair)
	if _, isEager := c.(engine.Eager); isEager {
		t.Error("an object without a plan is converted while it is read")
	}
	var reasons []string
	object := []byte(partyOf("v20150505", ""))
	out, err := engine.Convert(t.Context(), c, nil, object, func(reason string) { reasons = append(reasons, reason) })
	want, _ := renamed{byType}.Converter(pair).Append(t.Context(), nil, object)
	if err != nil || !bytes.Equal(out, want) || fmt.Sprint(reasons) != "[no_plan]" {
		t.Errorf("%s, %v, %v", out, err, reasons)
	}
	if again, err := c.Append(t.Context(), nil, object); err != nil || !bytes.Equal(again, want) {
		t.Errorf("%s, %v", again, err)
	}
	const created = 24 // bytes for each byte of the object, which a step may create
	if behind := (renamed{byType}).Converter(pair); c.Steps() != behind.Steps() || c.(engine.Costly).Cost(object) != behind.(engine.Costly).Cost(object)+created*int64(len(object)) {
		t.Errorf("%d steps, cost %d", c.Steps(), c.(engine.Costly).Cost(object))
	}
	if got := planned.New(bareEngine{renamed{byType}}).Converter(pair).(engine.Costly).Cost(object); got != 0 {
		t.Errorf("the cost is %d", got)
	}
	if c := plans.Converter(engine.Pair{Kind: party, From: "v1", To: "v1"}); c != nil {
		t.Error("there is a converter that the engine behind lacks")
	}
}

// renamed is an engine that serves parties as a kind without plans.
type renamed struct{ engine.Engine }

func (r renamed) Converter(pair engine.Pair) engine.Converter {
	if pair.Kind.Kind != "Unplanned" {
		return nil
	}
	return r.Engine.Converter(engine.Pair{Kind: party, From: "v20150505", To: hub})
}
