package crd

import (
	"encoding/json"
	"testing"
)

// TestDifferencesHaveReasons checks that expected differences have a reason, and that others have
// none.
func TestDifferencesHaveReasons(t *testing.T) {
	tests := []struct{ why, was, is, reason string }{
		{"nothing differs", `{"a":[1,{"name":"x"}]}`, `{"a":[1,{"name":"x"}]}`, ""},
		{"the hub's version", `{"spec":{"versions":[]}}`, `{"spec":{"versions":[{"name":"v1storage"}]}}`, "the cluster stores the hub"},
		{"versions are told by name", `{"spec":{"versions":[{"name":"v1","storage":true},{"name":"v2"}]}}`, `{"spec":{"versions":[{"name":"v2"},{"name":"v1","storage":false}]}}`,
			"the hub is stored in place of an API version"},
		{"a rule beside others", `{"openAPIV3Schema":{"x-kubernetes-validations":[{"rule":"a.b"}]}}`, `{"a":{},"openAPIV3Schema":{"x-kubernetes-validations":[{"rule":"new"},{"rule":"a.b"}]}}`, unknown},
		{"a rule of the author is gone", `{"spec":{"versions":[{"name":"v1","schema":{"openAPIV3Schema":{"x-kubernetes-validations":[{"rule":"a"}]}}}]}}`,
			`{"spec":{"versions":[{"name":"v1","schema":{"openAPIV3Schema":{}}}]}}`, unknown},
		{"a type is another", `{"spec":{"type":"string"}}`, `{"spec":{"type":"integer"}}`, unknown},
		{"a column is gone", `{"spec":{"versions":[{"name":"v1","additionalPrinterColumns":[{"name":"a"}]}]}}`, `{"spec":{"versions":[{"name":"v1","additionalPrinterColumns":[]}]}}`, unknown},
		{"a member of a version that several files define", `{"spec":{"versions":[{"name":"v9","schema":{}}]}}`, `{"spec":{"versions":[{"name":"v9","schema":{"a":1}}]}}`, several},
		{"a member is gone", `{"openAPIV3Schema":{"properties":{"a":{},"b":{}}}}`, `{"openAPIV3Schema":{"properties":{"a":{}}}}`, unknown},
	}
	for _, tt := range tests {
		var was, is any
		if json.Unmarshal([]byte(tt.was), &was) != nil || json.Unmarshal([]byte(tt.is), &is) != nil {
			t.Fatalf("%s: no JSON in %s or %s", tt.why, tt.was, tt.is)
		}
		var reason string
		for _, r := range tally(differences("", was, is), map[string]bool{"v9": true}) {
			reason = r.reason
			if reason == unknown {
				break
			}
		}
		if reason != tt.reason {
			t.Errorf("%s: the reason is %q, want %q", tt.why, reason, tt.reason)
		}
	}
}
