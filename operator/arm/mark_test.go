package arm_test

import (
	"testing"

	"github.com/stratakube/strata/operator/arm"
	"github.com/stratakube/strata/operator/arm/internal/armtest"
	"github.com/stratakube/strata/operator/plugin/plugintest"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	provider "github.com/stratakube/strata/operator/plugin/provider/v2"
)

// TestTags is a table over bodies before and after the mark of an object is added.
func TestTags(t *testing.T) {
	for _, test := range []struct{ reason, tag, spec, sent, tags, mark string }{
		{"a body with a location has tags", "owner", `{"location":"west"}`, `{"location":"west","tags":{"owner":"u n/a"}}`, `{"Owner":"u n/a"}`, "u n/a"},
		{"those of the user stay", "owner", `{"tags":{"a":"b"}}`, `{"tags":{"a":"b","owner":"u n/a"}}`, `{"a":"b","owner":"u n/a"}`, "u n/a"},
		{"a body without either is of a type without tags", "owner", `{"properties": {}}`, `{"properties": {}}`, `null`, ""},
		{"nothing is marked unasked", "", `{"location": "west"}`, `{"location": "west"}`, `{"owner":"v n/b"}`, ""},
		{"the mark of another object is told", "owner", `{"location":"west"}`, `{"location":"west","tags":{"owner":"u n/a"}}`, `{"owner":"v n/b"}`, "v n/b"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			server := armtest.Start(t, armtest.Exchange{Call: "PUT " + at, Status: 200, Sent: test.sent, Body: `{"id":"` + id + `","location":"west","tags":` + test.tags + `}`})
			config := map[string]string{"cloud": "custom", "endpoint": server.URL, "credentials": "none"}
			if test.tag != "" {
				config["mark"] = test.tag
			}
			p := plugintest.Get(t, plugintest.InMemory(t, arm.Register), provider.Version, arm.Name, config)
			about := subject(func(r *v1.Resource) { r.Spec = []byte(test.spec) })
			about.Mark = "u n/a"
			out, err := p.Apply(t.Context(), &provider.ApplyRequest{Subject: about})
			if err != nil || out.GetObservation().GetMark() != test.mark || len(out.GetObservation().GetDrift()) > 0 {
				t.Errorf("got %v, %v", out, err)
			}
		})
	}
}
