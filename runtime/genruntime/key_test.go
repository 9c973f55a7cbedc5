package genruntime_test

import (
	"testing"

	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/fixtures"
)

func TestMemberKeys(t *testing.T) {
	for _, test := range []struct{ reason, name, key string }{
		{"an ordinary name", "color", "color"},
		{"a vendor's annotation", "@odata.type", "@odata.type"},
		{"an address", "ann@example.com", "ann@example.com"},
		{"what is no version", "a@version", "a@version"},
		{"no name", "", "@"},
		{"a later property's key", "mode@v20210101", "mode@v20210101@"},
		{"a raw value's key", "mode@v20210101!raw", "mode@v20210101!raw@"},
		{"that key in turn", "mode@v20210101!raw@", "mode@v20210101!raw@@"},
		{"the key of additional members", "$additionalProperties", "$$additionalProperties"},
	} {
		if got := bag.MemberKey(test.name); got != test.key {
			t.Errorf("%s: the key of %q is %q, want %q", test.reason, test.name, got, test.key)
		}
	}
}

func FuzzKeys(f *testing.F) {
	for _, name := range fixtures.OddNames {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if stored := bag.StoredName(name); bag.APIName(stored) != name || stored == bag.Name {
			t.Errorf("%q is stored as %q", name, stored)
		}
		key := bag.MemberKey(name)
		if got, ok := bag.KeyMember(key); !ok || got != name {
			t.Errorf("the key %q of %q is read as %q, %t", key, name, got, ok)
		}
		if again, ok := bag.KeyMember(name); ok && bag.MemberKey(again) != name {
			t.Errorf("%q is read as the key of %q, which has %q", name, again, bag.MemberKey(again))
		}
		if _, ok := bag.ReadMisfit(key, fixtures.GadgetVersion); ok || bag.IsOwnKey(key) || bag.IsMarked(key) {
			t.Errorf("the key %q of %q is taken for another", key, name)
		}
		if got, ok := bag.ReadMisfit(bag.RawKey(name, fixtures.GadgetVersion), fixtures.GadgetVersion); !ok || got != (bag.MisfitKey{Name: name}) {
			t.Errorf("the raw value of %q is read as that of %+v, %t", name, got, ok)
		}
		if got, ok := bag.ReadMisfit(bag.ElementsKey(name, fixtures.GadgetVersion), fixtures.GadgetVersion); !ok || got != (bag.MisfitKey{Name: name, Elements: true}) {
			t.Errorf("elements of %q are read as those of %+v, %t", name, got, ok)
		}
		if got, ok := bag.ReadUnrepresentable(bag.UnrepresentableKey(name, fixtures.GadgetVersion)); !ok || got != name {
			t.Errorf("what is held of %q is read as that of %q, %t", name, got, ok)
		}
		if _, ok := bag.ReadMisfit(bag.UnrepresentableKey(name, fixtures.GadgetVersion), fixtures.GadgetVersion); ok {
			t.Errorf("what is held of %q is read as a raw value", name)
		}
	})
}

func TestKeyOfWholeObject(t *testing.T) {
	if k, ok := bag.ReadMisfit(bag.WholeKey("v1"), "v1"); !k.Whole || !ok {
		t.Error("it is not read")
	}
	if _, ok := bag.ReadMisfit(bag.WholeKey("v1"), "v2"); ok {
		t.Error("it is read as that of another version")
	}
}

// TestKeysOfStoredValues reads keys that hand-written types leave, of whatever version, and
// none that others wrote.
func TestKeysOfStoredValues(t *testing.T) {
	for key, want := range map[string]string{
		"size@v1!held!raw":                   "size",
		"@@v1!held!raw":                      "",
		"a@v1@@v2!held!raw":                  "a@v1",
		"$$additionalProperties@v1!held!raw": "$additionalProperties",
	} {
		if name, ok := bag.ReadUnrepresentable(key); !ok || name != want {
			t.Errorf("%s is of %q, %t", key, name, ok)
		}
	}
	for _, key := range []string{
		"", "size", "!held!raw", "size!held!raw", "size@!held!raw", "size@x1!held!raw", "size@v!held!raw", "@v1!held!raw", "a@v1@v2!held!raw",
		"size@v1!raw", "size@v1!held", "$additionalProperties@v1!held!raw",
	} {
		if name, ok := bag.ReadUnrepresentable(key); ok {
			t.Errorf("%s is of %q", key, name)
		}
	}
}
