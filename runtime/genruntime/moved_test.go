package genruntime_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
)

// pool is of a version in which the seconds are in limits. The other version has them, as
// milliseconds, in the timing of retry, and lacks old.
type pool struct {
	Limits      *limits             `json:"limits,omitzero"`
	Retry       *retry              `json:"retry,omitzero"`
	Old         *old                `json:"old,omitzero"`
	Mode        *string             `json:"mode,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

type limits struct {
	Seconds     *int64              `json:"seconds,omitzero"`
	CPU         *string             `json:"cpu,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

type retry struct {
	Count       *int64              `json:"count,omitzero"`
	Timing      *timing             `json:"timing,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

type timing struct {
	Milliseconds *int64              `json:"milliseconds,omitzero"`
	Jitter       *int64              `json:"jitter,omitzero"`
	PropertyBag  runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

type old struct {
	Mode        *string             `json:"mode,omitzero"`
	Note        *string             `json:"note,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

var movedSeconds = genruntime.Moved{
	ID:   "v2.pool.retry.timing.milliseconds",
	Far:  genruntime.MovedEnd{Path: []string{"limits", "seconds"}, Objects: []string{"limits"}, Key: "seconds"},
	Near: genruntime.MovedEnd{Path: []string{"retry", "timing", "milliseconds"}, Objects: []string{"retry"}, Key: "timing", Within: []string{"milliseconds"}},
	To:   genruntime.ScaleWhole(1000, 1), From: genruntime.ScaleWhole(1, 1000),
}

var movedMode = genruntime.Moved{
	ID:   "v2.pool.mode",
	Far:  genruntime.MovedEnd{Path: []string{"old", "mode"}, Key: "old", Within: []string{"mode"}},
	Near: genruntime.MovedEnd{Path: []string{"mode"}, Key: "mode"},
	To:   genruntime.Rename("Fast", "Quick", "Quick", "Fast"), From: genruntime.Rename("Quick", "Fast", "Fast", "Quick"),
}

func forwards(far *pool) *pool {
	near := &pool{PropertyBag: far.PropertyBag.Clone()}
	if far.Limits != nil {
		near.Limits = &limits{CPU: far.Limits.CPU, PropertyBag: far.Limits.PropertyBag.Clone()}
		genruntime.Stash(&near.Limits.PropertyBag, "seconds", far.Limits.Seconds)
	}
	if far.Retry != nil {
		near.Retry = &retry{Count: far.Retry.Count, PropertyBag: far.Retry.PropertyBag.Clone()}
		genruntime.Recall(&near.Retry.PropertyBag, "timing", &near.Retry.Timing)
	}
	genruntime.Recall(&near.PropertyBag, "mode", &near.Mode)
	genruntime.Stash(&near.PropertyBag, "old", far.Old)
	if genruntime.MoveTo(far, near, &movedSeconds) != nil || genruntime.MoveTo(far, near, &movedMode) != nil {
		panic("moving failed")
	}
	return near
}

func backwards(near *pool) *pool {
	far := &pool{PropertyBag: near.PropertyBag.Clone()}
	if near.Limits != nil {
		far.Limits = &limits{CPU: near.Limits.CPU, PropertyBag: near.Limits.PropertyBag.Clone()}
		genruntime.Recall(&far.Limits.PropertyBag, "seconds", &far.Limits.Seconds)
	}
	if near.Retry != nil {
		far.Retry = &retry{Count: near.Retry.Count, PropertyBag: near.Retry.PropertyBag.Clone()}
		genruntime.Stash(&far.Retry.PropertyBag, "timing", near.Retry.Timing)
	}
	genruntime.Recall(&far.PropertyBag, "old", &far.Old)
	genruntime.Stash(&far.PropertyBag, "mode", near.Mode)
	if genruntime.MoveFrom(far, near, &movedSeconds) != nil || genruntime.MoveFrom(far, near, &movedMode) != nil {
		panic("moving failed")
	}
	return far
}

// TestMoved reads a hub in the version before, edits it there, and writes it back. What the version
// before shows must be what it shows after the write.
func TestMoved(t *testing.T) {
	for _, test := range []struct {
		reason     string
		hub, shows string
		edit       func(*pool)
		want       string
	}{
		{"nobody edits it", `{"limits":{},"retry":{"timing":{"milliseconds":5000}}}`, `{"limits":{"seconds":5},"retry":{}}`, nil,
			`{"limits":{},"retry":{"timing":{"milliseconds":5000}}}`},
		{"the value is not exact", `{"limits":{},"retry":{"timing":{"milliseconds":1500,"jitter":1}}}`,
			`{"limits":{"seconds":1},"retry":{"$propertyBag":{"timing":{"jitter":1,"milliseconds":1500}}}}`, nil,
			`{"limits":{},"retry":{"timing":{"milliseconds":1500,"jitter":1}}}`},
		{"an old client edits it", `{"limits":{},"retry":{"timing":{"milliseconds":1500,"jitter":1}}}`,
			`{"limits":{"seconds":1},"retry":{"$propertyBag":{"timing":{"jitter":1,"milliseconds":1500}}}}`,
			func(p *pool) { p.Limits.Seconds = new(int64(2)) }, `{"limits":{},"retry":{"timing":{"milliseconds":2000,"jitter":1}}}`},
		{"an old client removes it", `{"limits":{},"retry":{"timing":{"milliseconds":1500}}}`,
			`{"limits":{"seconds":1},"retry":{"$propertyBag":{"timing":{"milliseconds":1500}}}}`,
			func(p *pool) { p.Limits.Seconds = nil }, `{"limits":{},"retry":{}}`},
		{"an old client removes the object around it", `{"limits":{},"retry":{"timing":{"milliseconds":1500}}}`,
			`{"limits":{"seconds":1},"retry":{"$propertyBag":{"timing":{"milliseconds":1500}}}}`,
			func(p *pool) { p.Limits = nil }, `{"retry":{}}`},
		{"an old client sets it, and creates the object around it", `{"limits":{},"retry":{}}`, `{"limits":{},"retry":{}}`,
			func(p *pool) { p.Limits.Seconds = new(int64(2)) }, `{"limits":{},"retry":{"timing":{"milliseconds":2000}}}`},
		{"an old client sets it where both versions lack the object around it", `{"limits":{}}`, `{"limits":{}}`,
			func(p *pool) { p.Limits.Seconds = new(int64(2)) }, `{"limits":{"$propertyBag":{"seconds":2}}}`},
		{"an empty object stays", `{"limits":{},"retry":{"timing":{}}}`, `{"limits":{},"retry":{"$propertyBag":{"timing":{}}}}`, nil,
			`{"limits":{},"retry":{"timing":{}}}`},
		{"an old client sets it in an object that a client wrote empty", `{"limits":{},"retry":{"timing":{}}}`, `{"limits":{},"retry":{"$propertyBag":{"timing":{}}}}`,
			func(p *pool) { p.Limits.Seconds = new(int64(2)) },
			`{"limits":{},"retry":{"timing":{"milliseconds":2000}},"$propertyBag":{"$shown@v2.pool.retry.timing.milliseconds":{"objects":1,"values":"2xf3o5umcpvb3"}}}`},
		{"an old client has no place for it", `{"retry":{"timing":{"milliseconds":5000}}}`, `{"retry":{"$propertyBag":{"timing":{"milliseconds":5000}}}}`, nil,
			`{"retry":{"timing":{"milliseconds":5000}}}`},
		{"an old client makes a place, and leaves it empty", `{"retry":{"timing":{"milliseconds":5000}}}`, `{"retry":{"$propertyBag":{"timing":{"milliseconds":5000}}}}`,
			func(p *pool) { p.Limits = &limits{} },
			`{"limits":{},"retry":{"timing":{"milliseconds":5000}},"$propertyBag":{"$shown@v2.pool.retry.timing.milliseconds":{"absent":true,"values":"1216k6sz3miba"}}}`},
		{"an old client has no place for a value that is not exact", `{"retry":{"timing":{"milliseconds":1500}}}`,
			`{"retry":{"$propertyBag":{"timing":{"milliseconds":1500}}},"$propertyBag":{"$shown@v2.pool.retry.timing.milliseconds":{"absent":true,"values":"33niihzj4ux45"}}}`, nil,
			`{"retry":{"timing":{"milliseconds":1500}}}`},
		{"a value that is not exact stays although an old client has made a place for it",
			`{"limits":{},"retry":{"timing":{"milliseconds":1500}},"$propertyBag":{"$shown@v2.pool.retry.timing.milliseconds":{"absent":true,"values":"3ls7lbxmfhoj"}}}`,
			`{"limits":{},"retry":{"$propertyBag":{"timing":{"milliseconds":1500}}},"$propertyBag":{"$shown@v2.pool.retry.timing.milliseconds":{"absent":true,"made":"3ps9kqn9ue9vn",` +
				`"note":{"absent":true,"values":"3ls7lbxmfhoj"},"values":"33niihzj4ux45"}}}`,
			func(p *pool) { p.Limits.CPU = new("2") },
			`{"limits":{"cpu":"2"},"retry":{"timing":{"milliseconds":1500}},"$propertyBag":{"$shown@v2.pool.retry.timing.milliseconds":{"absent":true,"values":"3ls7lbxmfhoj"}}}`},
		{"a preview edits a value that was never moved, and the note about the old one does not return",
			`{"limits":{},"retry":{"timing":{"milliseconds":5000}},"$propertyBag":{"$shown@v2.pool.retry.timing.milliseconds":{"absent":true,"values":"1216k6sz3miba"}}}`,
			`{"limits":{},"retry":{"$propertyBag":{"timing":{"milliseconds":5000}}},"$propertyBag":{"$shown@v2.pool.retry.timing.milliseconds":{"made":"25zcmiaffr8io",` +
				`"note":{"absent":true,"values":"1216k6sz3miba"},"values":"33niihzj4ux45"}}}`,
			func(p *pool) { p.Retry.PropertyBag["timing"] = runtime.JSON(`{"milliseconds":7000}`) },
			`{"limits":{},"retry":{"timing":{"milliseconds":7000}},"$propertyBag":{"$shown@v2.pool.retry.timing.milliseconds":{"absent":true,"values":"z0hhc7e3hocw"}}}`},
		{"a number that is too large, without a place", `{"limits":{"$propertyBag":{"seconds":7146165610834801453}}}`, `{"limits":{"seconds":7146165610834801453}}`, nil,
			`{"limits":{"$propertyBag":{"seconds":7146165610834801453}}}`},
		{"a value whose name changed", `{"mode":"Quick"}`, `{"old":{"mode":"Fast"}}`, func(p *pool) { p.Old.Mode = new("Slow") }, `{"mode":"Slow"}`},
		{"an object that only the old version has", `{"mode":"Quick","$propertyBag":{"old":{"note":"n"}}}`, `{"old":{"mode":"Fast","note":"n"}}`,
			func(p *pool) { p.Old.Mode = nil }, `{"$propertyBag":{"old":{"note":"n"}}}`},
		{"an old client removes the object where the value is now, and an obsolete entry does not return",
			`{"limits":{"$propertyBag":{"seconds":7}},"retry":{"timing":{"milliseconds":5000}}}`,
			`{"limits":{"seconds":5},"retry":{},"$propertyBag":{"$shown@v2.pool.retry.timing.milliseconds":{"before":7,"made":"25zcmiaffr8io","values":"2o0o372vfpv00"}}}`,
			func(p *pool) { p.Retry = nil }, `{"limits":{"$propertyBag":{"seconds":5}}}`},
		{"an obsolete entry stays until a write", `{"mode":"Quick","$propertyBag":{"old":{"mode":"Slow"}}}`,
			`{"old":{"mode":"Fast"},"$propertyBag":{"$shown@v2.pool.mode":{"before":{"mode":"Slow"},"made":"2i4v43hh8gai","values":"2imv6i2i3sg0w"}}}`, nil,
			`{"mode":"Quick","$propertyBag":{"old":{"mode":"Slow"}}}`},
	} {
		t.Run(test.reason, func(t *testing.T) {
			var hub pool
			if err := json.Unmarshal([]byte(test.hub), &hub); err != nil {
				t.Fatal(err)
			}
			far := backwards(&hub)
			checkJSON(t, "the earlier version is", far, test.shows)
			again := forwards(far)
			if diff := cmp.Diff(&hub, again, cmpopts.EquateEmpty()); diff != "" {
				t.Error("a write without an edit changes the hub", diff)
			}
			if test.edit != nil {
				test.edit(far)
			}
			near := forwards(far)
			checkJSON(t, "the hub becomes", near, test.want)
			visible := backwards(near)
			clear(visible.PropertyBag)
			clear(far.PropertyBag)
			if diff := cmp.Diff(withoutBags(far), withoutBags(visible), cmpopts.EquateEmpty()); diff != "" {
				t.Error("it reads otherwise", diff)
			}
		})
	}
}

func withoutBags(p *pool) *pool {
	out := &pool{Mode: p.Mode, Old: p.Old}
	if p.Limits != nil {
		out.Limits = &limits{Seconds: p.Limits.Seconds, CPU: p.Limits.CPU}
	}
	if p.Retry != nil {
		out.Retry = &retry{Count: p.Retry.Count, Timing: p.Retry.Timing}
	}
	return out
}

func checkJSON(t *testing.T, what string, value any, want string) {
	t.Helper()
	got, err := json.Marshal(value)
	if err != nil || string(got) != want {
		t.Errorf("%s %s, %v, want %s", what, got, err, want)
	}
}

// TestMoveRefuses moves a value to a property of another type, which no generated code does.
func TestMoveRefuses(t *testing.T) {
	m := movedMode
	m.To = genruntime.Plural()
	near := &pool{}
	if err := genruntime.MoveTo(&pool{Old: &old{Mode: new("Fast")}}, near, &m); !runtime.IsAugmentation(err) || near.Mode != nil {
		t.Errorf("a list became %v, %v", near.Mode, err)
	}
}
