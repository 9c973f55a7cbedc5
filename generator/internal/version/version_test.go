package version_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stratakube/strata/generator/internal/version"
)

func TestParse(t *testing.T) {
	tests := []struct {
		reason, name string
		label        string // "" for no version
		preview      bool
		style        version.Style
	}{
		{"a date", "2014-04-04", "v20140404", false, version.Date},
		{"a preview of a date", "2014-04-04-preview", "v20140404preview", true, version.Date},
		{"anything after the date makes a preview", "2014-04-04-privatepreview.2", "v20140404privatepreview2", true, version.Date},
		{"letter case does not count", "2014-04-04-Preview", "v20140404preview", true, version.Date},
		{"a day that is not in the calendar is a name all the same", "2014-02-31", "v20140231", false, version.Date},
		{"one number", "2", "v2", false, version.Number},
		{"numbers", "1.0", "v1x0", false, version.Number},
		{"three numbers and a preview", "1.20.3-beta.1", "v1x20x3beta1", true, version.Number},
		{"a stable label", "v1", "v1", false, version.Label},
		{"an alpha label", "v2alpha1", "v2alpha1", true, version.Label},
		{"a beta label", "V1Beta10", "v1beta10", true, version.Label},

		{"the label of a date", "v20140404", "v20140404", false, version.Label},
		{"the label of a date's preview", "v20140404preview", "v20140404preview", true, version.Label},

		{"a version of Azure Service Operator", "v1api20230101", "v1api20230101", false, version.Label},
		{"a preview of Azure Service Operator", "v1api20230101preview", "v1api20230101preview", true, version.Label},
		{"the label of an operator's storage type", "v1api20230101storage", "", false, 0},
		{"an API without a date", "v1api2023", "", false, 0},

		{"nothing", "", "", false, 0},
		{"the label of a date's storage type", "v20140404storage", "", false, 0},
		{"a word", "latest", "", false, 0},
		{"a month without a day", "2014-04", "", false, 0},
		{"a number and a letter", "2-b", "v2b", true, version.Number},
		{"no suffix after the dash", "2014-04-04-", "", false, 0},
		{"a suffix without letters or digits would take the stable version's label", "2014-04-04--", "", false, 0},
		{"a suffix with a space", "2014-04-04-a b", "", false, 0},
		{"a letter that folds into ASCII", "2014-04-04-\u212aelvin", "v20140404kelvin", true, version.Date},
		{"a label that would be a storage type's", "2014-04-04-storage", "", false, 0},
		{"four numbers", "1.2.3.4", "", false, 0},
		{"a level without a number", "v1beta", "", false, 0},
		{"no such level", "v1gamma1", "", false, 0},
		{"a number beyond all reason", "v12345678901234567890", "", false, 0},
		{"a line break at the end", "v1\n", "", false, 0},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			v, ok := version.Parse(tt.name)
			if ok != (tt.label != "") || v.Label() != tt.label {
				t.Fatalf("label %q, %v, want %q", v.Label(), ok, tt.label)
			}
			if ok && (v.IsPreview() != tt.preview || v.Style() != tt.style) {
				t.Errorf("preview %v, style %v", v.IsPreview(), v.Style())
			}
		})
	}
}

// TestCompare checks that each line is in order.
func TestCompare(t *testing.T) {
	for reason, line := range map[string]string{
		"dates, a preview before the stable version of its date": "2013-12-31 2014-04-04-alpha 2014-04-04-preview 2014-04-04-preview.2 2014-04-04-preview.10 2014-04-04 2014-04-05-preview 2015-01-01",
		"labels by generation, then level, then number":          "v1alpha1 v1alpha2 v1beta1 v1beta2 v1beta10 v1 v2alpha1 v2 v10",
		"labels of dates as dates":                               "v20131231 v20140404preview v20140404preview2 v20140404preview10 v20140404alpha1 v20140404 v20150101",
		"versions of Azure Service Operator as dates":            "v1api20210401preview v1api20210401 v20220901preview v1api20220901 v20220901 v1api20230101 v20240101",
		"numbers as numbers":                                     "1.0-preview 1 1.0 1.2 1.10 2 2.0.1",
	} {
		t.Run(reason, func(t *testing.T) {
			names := strings.Fields(line)
			for i, a := range names {
				for j, b := range names {
					if got, want := parse(t, a).Compare(parse(t, b)), sign(i-j); got != want {
						t.Errorf("%s against %s: %d, want %d", a, b, got, want)
					}
				}
			}
		})
	}
}

func TestIsPossible(t *testing.T) {
	for name, want := range map[string]bool{
		"2024-02-29": true, "2023-02-29": false, "2023-13-01": false, "2023-00-10": false, "2023-04-31": false,
		"2023-04-30-preview": true, "v13": true, "13.45": true,
	} {
		if got := parse(t, name).IsPossible(); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestOrderIsTotal checks that names in any order are sorted the same, and that every label is
// valid in Kubernetes.
func TestOrderIsTotal(t *testing.T) {
	name := rapid.OneOf(
		rapid.StringMatching(`20[01]\d-0[1-3]-0[1-3](-(preview|alpha|beta\.[0-9]))?`),
		rapid.StringMatching(`v[1-3]((alpha|beta)[1-3])?`),
		rapid.StringMatching(`[1-3](\.[0-2])?(-rc)?`),
	)
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOf(name).Draw(t, "names")
		once := slices.SortedFunc(slices.Values(names), compare)
		again := slices.SortedFunc(slices.Values(rapid.Permutation(names).Draw(t, "order")), compare)
		for i := range once {
			if compare(once[i], again[i]) != 0 {
				t.Fatalf("%q and then %q", once, again)
			}
		}
		for _, n := range names {
			if v, _ := version.Parse(n); strings.Trim(v.Label(), "abcdefghijklmnopqrstuvwxyz0123456789") != "" || v.Label()[0] != 'v' {
				t.Fatalf("label %q", v.Label())
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"2014-04-04-preview", "v1beta1", "1.0", "v", "-", "0000-00-00"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		v, ok := version.Parse(name)
		upper, again := version.Parse(strings.ToUpper(name))
		if isASCII(name) && (ok != again || v.Compare(upper) != 0 || v.Label() != upper.Label()) {
			t.Errorf("%q is %v in upper case", name, again)
		}
		if ok == (v.Label() == "") {
			t.Errorf("%q: label %q, %v", name, v.Label(), ok)
		}
	})
}

func isASCII(s string) bool { return strings.IndexFunc(s, func(r rune) bool { return r > 127 }) < 0 }

func compare(a, b string) int {
	v, _ := version.Parse(a)
	w, _ := version.Parse(b)
	return v.Compare(w)
}

func parse(t *testing.T, name string) version.Version {
	t.Helper()
	v, ok := version.Parse(name)
	if !ok {
		t.Fatalf("%q is no version", name)
	}
	return v
}

func sign(n int) int { return max(-1, min(1, n)) }
