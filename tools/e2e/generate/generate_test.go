package generate_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/tools/e2e/generate"
)

func TestBodiesHaveRequiredMembers(t *testing.T) {
	s := generate.Open("../../../schemas/crm")
	for _, test := range []struct {
		reason, version string
		richness        float64
		want            []string
	}{
		{"nothing is required of a person", "2011-01-01", 0, nil},
		{"a later version requires names", "2014-04-04", 0, []string{"familyName", "legalName"}},
		{"all that there is", "2014-04-04", 1, []string{"alphaKey", "familyName", "id", "knownAs", "legalName"}},
	} {
		body := of(t, s, generate.Of{File: test.version + "/Microsoft.Crm.json", Type: "microsoft.crm/Persons", Version: test.version, Seed: 1, Richness: test.richness})
		properties, _ := body["properties"].(map[string]any)
		if names := slices.Sorted(maps.Keys(properties)); !slices.Equal(names, test.want) {
			t.Errorf("%s: %v, want %v", test.reason, names, test.want)
		}
		for _, name := range []string{"name", "type", "apiVersion"} {
			if _, has := body[name]; has {
				t.Errorf("%s: the body has %s, which is the template's", test.reason, name)
			}
		}
	}
}

func TestSameSeedDrawsSame(t *testing.T) {
	what := generate.Of{File: "2019-09-09/Microsoft.Crm.json", Type: "Microsoft.Crm/persons", Version: "2019-09-09", Seed: 7, Richness: 0.7}
	first, second := of(t, generate.Open("../../../schemas/crm"), what), of(t, generate.Open("../../../schemas/crm"), what)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Error(diff)
	}
	what.Seed = 8
	if cmp.Equal(first, of(t, generate.Open("../../../schemas/crm"), what)) {
		t.Error("another seed draws the same")
	}
}

func of(t *testing.T, s *generate.Schemas, what generate.Of) map[string]any {
	t.Helper()
	body, err := s.Body(what)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(body); err != nil {
		t.Fatal(err)
	}
	return body
}
