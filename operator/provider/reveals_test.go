package provider_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stratakube/strata/operator/provider"
)

// TestReveals is a table over values, and whether they contain a secret.
func TestReveals(t *testing.T) {
	const key = `p+a/s "w&rd==`
	twice := func(text string) string { return strings.ReplaceAll(text, "%", "%25") }
	const inURL = `p%2Ba%2fs%20%22w%26rd%3D%3D`
	for _, test := range []struct {
		reason, value string
		is            bool
	}{
		{"itself", key, true},
		{"within", "Key=" + key + ";", true},
		{"in a URL", "https://a/?sig=" + inURL, true},
		{"in the query of a URL, with a plus for a blank", `https://a/?sig=p%2Ba%2Fs+%22w%26rd%3D%3D`, true},
		{"encoded twice", twice(inURL), true},
		{"encoded three times", twice(twice(inURL)), true},
		{"in JSON", `{"key":"p\u002Ba\/s \"w&rd=="}`, true},
		{"in XML", `<k v="p+a/s &quot;w&amp;rd&#61;&#x3d;"/>`, true},
		{"JSON in a URL", `%7B%22key%22%3A%22p%2Ba%2Fs%20%5C%22w%26rd%3D%3D%22%7D`, true},
		{"in base64, at its beginning", base64.StdEncoding.EncodeToString([]byte(key + ":x")), true},
		{"in base64, after one byte", base64.StdEncoding.EncodeToString([]byte("u" + key)), true},
		{"in base64, after two bytes", base64.StdEncoding.EncodeToString([]byte("u:" + key + "!")), true},
		{"in base64 of URLs, within another text", "Basic " + base64.RawURLEncoding.EncodeToString([]byte("user:"+key)), true},
		{"lines in JSON", `{"key":"-----BEGIN\nMIIB\tx\r\n-----END\n"}`, true},
		{"lines in JSON in a URL", `%7B%22key%22%3A%22-----BEGIN%5CnMIIB%5Ctx%5Cr%5Cn-----END%5Cn%22%7D`, true},
		{"a short one", "pin", true},
		{"a short one in a URL", "%70in", true},
		{"a short one within another value", "spinning", false},
		{"another value", "p+a/s", false},
		{"nothing", "", false},
		{"a percent that is no escape", "100%", false},
		{"what is no end of an escape", `\u00`, false},
	} {
		if got := provider.Reveals([]byte(test.value), [][]byte{nil, []byte(key), []byte("pin"), []byte("-----BEGIN\nMIIB\tx\r\n-----END\n")}); got != test.is {
			t.Errorf("%s: got %t", test.reason, got)
		}
	}
}
