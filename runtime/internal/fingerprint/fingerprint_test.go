package fingerprint

import (
	"encoding/json"
	"testing"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// TestGoldenFingerprints tests the stored format, which must never change: objects in clusters
// have these fingerprints.
func TestGoldenFingerprints(t *testing.T) {
	for _, test := range []struct {
		json string
		want uint64
	}{
		{`null`, 0x0},
		{`true`, 0x975835de1c9756ce},
		{`1`, 0xec4c5bee627011b3},
		{`-1`, 0x4189fb2d4145c5c6},
		{`9007199254740993`, 0x337c8eff1e69769b},
		{`18446744073709551616`, 0xef34d5d67c0a2a52},
		{`1.5`, 0x31ae1f999aa29038},
		{`"a"`, 0xeedee9f368fb527},
		{`"abcdefgh"`, 0xb157e9828edcd4a3},
		{`"é and more than eight bytes"`, 0x7c407628493ab4ce},
		{`[1]`, 0x757795751be4a1db},
		{`[null,false]`, 0x484a89c85d00f287},
		{`{"a":1}`, 0xd6db24be97718f31},
		{`{"a":1,"b":{"c":["d"]}}`, 0x943b9e6c8fdade89},
		{`{`, 0x9639f97f2986dad6},
	} {
		if got := OfJSON(runtime.JSON(test.json)); got != test.want {
			t.Errorf("{`%s`, %#x},", test.json, got)
		}
	}
}

func TestSameFingerprints(t *testing.T) {
	for _, test := range []struct {
		reason string
		values []string
		same   bool
	}{
		{"nothing", []string{`null`, `false`, `0`, `0.0`, `-0`, `0e9`, `""`, `[]`, `{}`, `{"a":null,"b":{"c":[]}}`, ``}, true},
		{"one", []string{`1`, `1.0`, `1e0`, `10e-1`, `0.1E+1`, ` 1 `}, true},
		{"a large whole number", []string{`1e30`, `1000000000000000000000000000000`, `1000000000000000000000000000000.0`}, true},
		{"a whole number of 19 digits", []string{`1000000000000000000`, `1e18`, `1000000000000000000.0`, `0.1e19`}, true},
		{"the largest of 63 bits", []string{`9223372036854775807`, `9223372036854775807.0`, `9.223372036854775807e18`}, true},
		{"a fraction", []string{`0.5`, `5e-1`, `0.50`}, true},
		{"a text and its escapes", []string{`"é/\n"`, `"\u00e9\/\u000a"`}, true},
		{"the order of members, and those that are nothing", []string{`{"a":1,"b":2}`, `{"b":2.0,"a":1,"c":0}`}, true},
		{"integers beyond 2^53", []string{`9007199254740992`, `9007199254740993`}, false},
		{"integers beyond 2^64", []string{`18446744073709551616`, `18446744073709551617`}, false},
		{"integers about 2^63", []string{`9223372036854775807`, `9223372036854775808`, `9223372036854775809`, `-9223372036854775808`, `-9223372036854775809`, `-9223372036854775810`}, false},
		{"integers about 18 digits", []string{`99999999999999999`, `999999999999999999`, `9999999999999999999`, `9999999999999999998`, `-99999999999999999`, `-999999999999999999`}, false},
		{"integers of many digits", []string{`123456789012345678901234567890`, `123456789012345678901234567891`}, false},
		{"signs", []string{`1`, `-1`, `1.5`, `-1.5`, `1e30`, `-1e30`}, false},
		{"kinds", []string{`1`, `"1"`, `true`, `"true"`, `[1]`, `{"1":1}`, `[true]`}, false},
		{"texts that end in zero bytes", []string{`"a"`, `"a\u0000"`}, false},
		{"the order of elements", []string{`[1,2]`, `[2,1]`}, false},
		{"elements that are nothing", []string{`[]`, `[0]`, `[0,0]`, `[[0]]`, `[1]`, `[1,0]`, `[0,1]`}, false},
		{"places of a value", []string{`{"a":{"b":1}}`, `{"b":{"a":1}}`, `{"a":1}`, `{"b":1}`}, false},
		{"names and values swapped", []string{`{"a":"b","c":"d"}`, `{"a":"d","c":"b"}`}, false},
		{"what is no JSON", []string{`{`, `[`, `nul`}, false},
	} {
		t.Run(test.reason, func(t *testing.T) {
			seen := map[uint64]string{}
			for _, value := range test.values {
				seen[OfJSON(runtime.JSON(value))] = value
			}
			if want := len(test.values); test.same && len(seen) != 1 || !test.same && len(seen) != want {
				t.Errorf("fingerprints are %v", seen)
			}
		})
	}
}

func FuzzFingerprint(f *testing.F) {
	for _, seed := range []string{`{"a":[1.0,"\ud800",null]}`, `1e999999999999`, `-`, `[[[`, `00`, `"\u00"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, want := jsontext.IsValid(data), json.Valid(data); got != want {
			t.Errorf("%q is valid: %v", data, got)
		}
		print := OfJSON(data)
		if spaced := OfJSON(append([]byte(" "), data...)); json.Valid(data) && spaced != print {
			t.Errorf("%q changes by white space", data)
		}
	})
}
