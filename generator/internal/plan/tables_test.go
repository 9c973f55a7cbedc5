package plan

import (
	"slices"
	"strings"
	"testing"
)

// allKinds are those of further members, which are no objects of a type.
var allKinds = strings.Fields("a s i n b ma ms mo la lla ls lo li ln lls lma lms lmo mb mi mn mla mlla mls mlo mli mma mms mmo")

// TestLooseKinds wants further members to show values of each kind that fits in part, below the same lists and maps.
func TestLooseKinds(t *testing.T) {
	for _, test := range []struct {
		kinds, of string // kinds are all that show some values of the other
	}{
		{"a s", "s"},
		{"a i n", "i"},
		{"a i n", "n"},
		{"a b", "b"},
		{"a ma mb mi mn ms mla mlla mls mlo mli mma mms mmo mo", "o"},
		{strings.Join(allKinds, " "), "a"},
		{"a la ls", "ls"},
		{"a la ln li", "li"},
		{"a la lma lms lmo", "lo"},
		{"a ma mb mi mn ms mla mlla mls mlo mli mma mms mmo", "ma"},
		{"a la lla lls", "lls"},
	} {
		for kind := range slices.Values(allKinds) {
			want := slices.Contains(strings.Fields(test.kinds), kind)
			if got := isLoose(kind, test.of); got != want {
				t.Errorf("%s shows some values of %s: %t, want %t", kind, test.of, got, want)
			}
		}
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"":              `""`,
		"azAZ09_-.$@":   "azAZ09_-.$@",
		"`":             "\"`\"",
		"{":             `"{"`,
		"[":             `"["`,
		"/":             `"/"`,
		":":             `":"`,
		"two words":     `"two words"`,
		"é":             `"é"`,
		"a,b":           `"a,b"`,
		"$propertyBag":  "$propertyBag",
		"size@v1!raw":   `"size@v1!raw"`,
		"line\nbreak\"": `"line\nbreak\""`,
	} {
		if got := word(text); got != want {
			t.Errorf("%q is written %s, want %s", text, got, want)
		}
	}
}

func TestInitials(t *testing.T) {
	for name, want := range map[string]string{
		"BatchAccountsPool": "bap",
		"Person":            "p",
		"VMScaleSet":        "vss",
		"VirtualMachineVM":  "vmv",
		"DNSZone":           "dz",
		"Zoo":               "z",
		"AbleZebra":         "az",
		"ÉtéPlan":           "p",
		"person":            "",
		"":                  "",
	} {
		if got := initials(name); got != want {
			t.Errorf("the initials of %s are %q, want %q", name, got, want)
		}
	}
}

func TestNamesAreHandedOutOnce(t *testing.T) {
	names := idents{}
	for _, want := range []string{"Size", "Size2", "Size3"} {
		if got := names.unique("Size"); got != want {
			t.Errorf("the name is %s, want %s", got, want)
		}
	}
	if got := names.field("propertyBag"); got != "PropertyBagValue" {
		t.Errorf("the field of propertyBag is %s", got)
	}
}

// TestValuesThatAreRenamedTwice wants the second names of what the first permutation renames, and those of the second alone.
func TestValuesThatAreRenamedTwice(t *testing.T) {
	for _, test := range []struct{ first, second, want string }{
		{"", "", ""},
		{"a b", "", "a b"},
		{"", "a b", "a b"},
		{"a b b a", "b c c b", "a c b a c b"},
		{"a b b a", "a b b a", "a a b b"},
		{"a a b b", "x y y x", "a a b b x y y x"},
		{"a b b a", "x y y x", "a b b a x y y x"},
		{"a b b c c a", "a b b a", "a a b c c b"},
	} {
		if got := strings.Join(renamedTwice(strings.Fields(test.first), strings.Fields(test.second)), " "); got != test.want {
			t.Errorf("%q and then %q is %q, want %q", test.first, test.second, got, test.want)
		}
	}
}
