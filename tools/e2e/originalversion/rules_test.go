package originalversion_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/tools/armsim"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// rule is a branch of the rules of the original version. Notes have text in all versions;
// attachments since 2015-05-05, context and sentiment since 2016-06-06, which is the version before
// the hub's.
type rule struct {
	name       string
	kind       string         // Person; empty for PersonsNote
	created    string         // the version it is created in; the hub for the hub itself
	properties map[string]any // its properties
	then       func(n *subject)
	// The body that the external API receives last.
	external string
	sent     map[string]any
	// The messages of the conditions; empty if no such condition may be False.
	notSent, notKept string
}

// subject is the object that a rule is tested with.
type subject struct {
	*testing.T
	*site
	kind *kind
	name string
}

func (n *subject) merges(label, properties string) {
	n.Helper()
	n.merge(n.T, n.kind, label, n.name, `{"spec":{"properties":`+properties+`}}`)
}

// note is the spec of a note that each version can express.
const note = `{"owner":{"name":"owner"},"properties":{"text":"hello"}}`

// applies has kubectl apply the object in a version, with a spec.
func (n *subject) applies(label, spec string, flags ...string) {
	n.Helper()
	manifest := fmt.Sprintf(`{"apiVersion":"%s/%s","kind":"%s","metadata":{"name":"%s","namespace":"default"},"spec":%s}`,
		n.kind.group, label, n.kind.name, n.name, spec)
	if _, printed, err := n.Kubectl().Run(n.Context(), manifest, append([]string{"apply", "-f", "-"}, flags...)...); err != nil {
		n.Fatal(err, printed)
	}
}

const hub = "the hub"

var rules = []rule{
	{
		name: "the version that changes the spec is the original one", created: "v20130303", properties: map[string]any{"text": "hello"},
		then:     func(n *subject) { n.merges("v20160606", `{"text":"changed"}`) },
		external: "2016-06-06", sent: map[string]any{"text": "changed"},
	},
	{
		name: "a client-side apply of the same in another version declares it anew", created: "",
		then: func(n *subject) {
			n.applies("v20130303", note)
			n.awaitReady(n.T, n.kind, n.name)
			n.applies("v20160606", note)
		},
		external: "2016-06-06", sent: map[string]any{"text": "hello"},
	},
	{
		name: "a server-side apply of the same in another version declares it anew", created: "",
		then: func(n *subject) {
			n.applies("v20130303", note, "--server-side")
			n.awaitReady(n.T, n.kind, n.name)
			n.applies("v20160606", note, "--server-side")
		},
		external: "2016-06-06", sent: map[string]any{"text": "hello"},
	},
	{
		name:    "a version that can express all stays where the writer's cannot, and is sent what the writer does not see",
		created: "v20160606", properties: map[string]any{"text": "hello", "sentiment": 0.5},
		then:     func(n *subject) { n.merges("v20130303", `{"text":"changed"}`) },
		external: "2016-06-06", sent: map[string]any{"text": "changed", "sentiment": 0.5},
	},
	{
		name:    "of two that cannot express all, the writer's wins, and a condition says what is not sent",
		created: "v20150505", properties: map[string]any{"text": "hello"},
		then: func(n *subject) {
			n.merges(n.kind.hub, `{"sentiment":0.5}`)
			n.awaitReady(n.T, n.kind, n.name)
			n.merges("v20130303", `{"text":"changed"}`)
		},
		external: "2013-03-03", sent: map[string]any{"text": "changed"}, notSent: "properties.sentiment",
	},
	{
		name: "a write through the hub changes no version", created: "v20130303", properties: map[string]any{"text": "hello"},
		then:     func(n *subject) { n.merges(n.kind.hub, `{"text":"changed"}`) },
		external: "2013-03-03", sent: map[string]any{"text": "changed"},
	},
	{
		name: "what is created through the hub is written in the hub's API version", created: hub, properties: map[string]any{"text": "hello"},
		then:     func(*subject) {},
		external: "2017-07-07", sent: map[string]any{"text": "hello"},
	},
	{
		name: "the next later version stands for one that is not known", created: "v20160606", properties: map[string]any{"text": "hello"},
		then: func(n *subject) {
			n.merge(n.T, n.kind, n.kind.hub, n.name, `{"spec":{"originalVersion":"v20141231"}}`)
		},
		external: "2015-05-05", sent: map[string]any{"text": "hello"}, notKept: "v20141231",
	},
}

// personRules are about a kind with hand-written steps: persons have three names up to 2013-03-03,
// of which later versions derive others. The residential address of 2013-03-03 is away until
// 2019-09-09, and the alpha key begins in 2014-04-04.
var personRules = []rule{
	{
		name: "what steps derive from an old version is no more than that has", kind: "Person", created: "v20110101",
		properties: map[string]any{"firstName": "Ada", "lastName": "King"}, then: func(*subject) {},
		external: "2011-01-01", sent: map[string]any{"firstName": "Ada", "lastName": "King"},
	},
	{
		name: "an edit through an old version makes it the original one, whatever steps derive from it", kind: "Person", created: "v20130303",
		properties: map[string]any{"firstName": "Ada", "lastName": "King"},
		then:       func(n *subject) { n.merges("v20110101", `{"lastName":"Lovelace"}`) },
		external:   "2011-01-01", sent: map[string]any{"firstName": "Ada", "lastName": "Lovelace"},
	},
	{
		name: "an edit through a version that lacks an address does not take it away", kind: "Person", created: "v20130303",
		properties: map[string]any{"firstName": "Ada", "lastName": "King", "residentialAddress": map[string]any{"label": "12 St James's Square, London"}},
		then:       func(n *subject) { n.merges("v20140404", `{"alphaKey":"KING"}`) },
		external:   "2013-03-03", sent: map[string]any{"firstName": "Ada", "lastName": "King", "residentialAddress": map[string]any{"label": "12 St James's Square, London"}},
		notSent: "properties.sortKey",
	},
	{
		name: "until a version that has all is written", kind: "Person", created: "v20130303",
		properties: map[string]any{"firstName": "Ada", "lastName": "King", "residentialAddress": map[string]any{"label": "12 St James's Square, London"}},
		then: func(n *subject) {
			n.merges("v20140404", `{"alphaKey":"KING"}`)
			n.awaitReady(n.T, n.kind, n.name)
			n.merges("v20190909", `{"sortKey":"ADA"}`)
		},
		external: "2019-09-09", sent: map[string]any{
			"familyName": "King", "knownAs": "Ada", "legalName": "Ada King", "sortKey": "ADA",
			"residentialAddress": map[string]any{"street": "12 St James's Square", "city": "London"},
		},
	},
}

// rules tries each branch of the rules of the original version.
func (s *site) rules(t *testing.T) {
	k, owners := s.kind(t, "PersonsNote"), s.kind(t, "Person")
	s.create(t, owners, "v20110101", "owner", map[string]any{"properties": map[string]any{"firstName": "Ada"}})
	s.awaitReady(t, owners, "owner")
	for i, rule := range append(rules, personRules...) {
		t.Run(rule.name, func(t *testing.T) {
			t.Parallel()
			n := &subject{t, s, k, fmt.Sprintf("rule%d", i)}
			spec := map[string]any{"owner": map[string]any{"name": "owner"}, "properties": rule.properties}
			if rule.kind != "" {
				n.kind = owners
				delete(spec, "owner")
			}
			if rule.created != "" {
				s.create(t, n.kind, strings.ReplaceAll(rule.created, hub, n.kind.hub), n.name, spec)
				s.awaitReady(t, n.kind, n.name)
			}
			rule.then(n)
			n.ends(rule)
		})
	}
	t.Run("an older version that is applied says what is in its way", func(t *testing.T) {
		for _, flags := range [][]string{nil, {"--server-side", "--force-conflicts"}} {
			for i, d := range declarations {
				n := &subject{t, s, s.kind(t, d.kind), fmt.Sprintf("declared%d%d", i, len(flags))}
				n.isRefused(d, flags...)
			}
		}
	})
	t.Run("a version that demands more does not stand in an older object's way", func(t *testing.T) {
		s.create(t, owners, "v20110101", "modest", map[string]any{"properties": map[string]any{"firstName": "Ada"}})
		s.awaitReady(t, owners, "modest")
		for _, call := range s.puts(owners, "modest") {
			if call.APIVersion != "2011-01-01" {
				t.Errorf("a PUT in version %s", call.APIVersion)
			}
		}
	})
}

// ends reports how a rule ends: with the last that the external API was sent, and with conditions.
func (n *subject) ends(r rule) {
	n.Helper()
	want := map[string]any{"properties": normal(n.T, r.sent)}
	shared.Eventually(n.T, patience, n.name+" is sent", func() error {
		puts := n.puts(n.kind, n.name)
		if len(puts) == 0 {
			return fmt.Errorf("%s: no PUT", n.name)
		}
		if last := puts[len(puts)-1]; last.APIVersion != r.external || !cmp.Equal(normal(n.T, last.Body), any(want)) {
			return fmt.Errorf("the last of %v, want %v in version %s", summary(puts), want, r.external)
		}
		return nil
	})
	object := n.awaitReady(n.T, n.kind, n.name)
	for kind, want := range map[string]string{"FullySent": r.notSent, "OriginalVersionKept": r.notKept} {
		status, message := condition(object, kind)
		if want == "" && status == "False" || want != "" && (status != "False" || !strings.Contains(message, want)) {
			n.Errorf("%s=%s, %s, want %q in it", kind, status, message, want)
		}
	}
	for _, call := range n.puts(n.kind, n.name) {
		if isRefused(call) {
			n.Errorf("refused: %v", summary([]armsim.Call{call}))
		}
	}
}

func isRefused(c armsim.Call) bool {
	return c.Status >= 400 && c.Status < 500 && c.Status != 429 && c.Status != 409
}

// declaration is an object that is applied in a version, and then in an older one that cannot
// express it.
type declaration struct {
	kind, version, spec string
	older, olderSpec    string
	sent, olderSent     string // the API versions
	missing             string // the property that the older version does not have
}

var declarations = []declaration{
	{
		kind: "PersonsNote", version: "v20160606", spec: `{"owner":{"name":"owner"},"properties":{"text":"hello","sentiment":0.5}}`,
		older: "v20130303", olderSpec: note, sent: "2016-06-06", olderSent: "2013-03-03", missing: "properties.sentiment",
	},
	{
		kind: "Person", version: "v20140404preview", spec: `{"properties":{"familyName":"King","knownAs":"Ada","fullName":"Countess of Lovelace"}}`,
		older: "v20130303", olderSpec: `{"properties":{"firstName":"Ada","lastName":"King"}}`, sent: "2014-04-04-preview", olderSent: "2013-03-03", missing: "properties.fullName",
	},
}

// isRefused declares an object. The operator goes on sending the newer version, in which a property
// stands in the way. Then the command of the condition helps.
func (n *subject) isRefused(d declaration, flags ...string) {
	n.Helper()
	n.applies(d.version, d.spec, flags...)
	if d.kind == "PersonsNote" {
		n.merges(d.version, `{"sentiment":0.5}`)
	}
	n.awaitReady(n.T, n.kind, n.name)
	n.applies(d.older, d.olderSpec, flags...)
	var message string
	shared.Eventually(n.T, patience, n.name+" says what is in the way", func() error {
		var status string
		if status, message = condition(n.get(n.T, n.kind, n.kind.hub, n.name), "DeclaredVersionUsed"); status != "False" || !strings.Contains(message, d.missing) {
			return fmt.Errorf("DeclaredVersionUsed is %s: %s", status, message)
		}
		return nil
	})
	for _, call := range n.puts(n.kind, n.name) {
		if call.APIVersion != d.sent {
			n.Errorf("a PUT in version %s before %s is removed", call.APIVersion, d.missing)
		}
	}
	_, command, _ := strings.Cut(message, "kubectl ")
	command, patch, _ := strings.Cut(command, "--patch='")
	if _, printed, err := n.Kubectl().Run(n.Context(), "", append(strings.Fields(command), "--patch="+strings.TrimSuffix(patch, "'"))...); err != nil {
		n.Fatal(err, printed)
	}
	n.applies(d.older, d.olderSpec, flags...)
	shared.Eventually(n.T, patience, n.name+" is sent in the older version", func() error {
		puts := n.puts(n.kind, n.name)
		if last := puts[len(puts)-1]; last.APIVersion != d.olderSent {
			return fmt.Errorf("the last of %v", summary(puts))
		}
		return nil
	})
	if status, message := condition(n.awaitReady(n.T, n.kind, n.name), "DeclaredVersionUsed"); status != "" {
		n.Errorf("DeclaredVersionUsed is %s: %s", status, message)
	}
	table, printed, err := n.Kubectl().Run(n.Context(), "", "get", strings.ToLower(d.kind), n.name)
	heads := regexp.MustCompile(`NAME +READY +REASON +MESSAGE +API VERSION`)
	if err != nil || !heads.MatchString(table) || !strings.Contains(table, d.olderSent) || !strings.Contains(table, "Succeeded") {
		n.Errorf("kubectl get says %s%s (%v)", table, printed, err)
	}
}
