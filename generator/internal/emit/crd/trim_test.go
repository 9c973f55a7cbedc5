package crd

import "testing"

func TestTrim(t *testing.T) {
	const doc = " The size, e.g. Large. Or 5. small ones.\nMore of it. And more.\n\nA second paragraph.  "
	tests := []struct {
		reason string
		trim   string
		depth  int
		status bool
		want   string
	}{
		{"nothing is cut at first, but spaces around", "", 9, true, "The size, e.g. Large. Or 5. small ones.\nMore of it. And more.\n\nA second paragraph."},
		{"a status is first to lose its texts", "hub's version alone: no descriptions in status", 1, true, ""},
		{"the spec keeps them", "hub's version alone: no descriptions in status", 9, false, "The size, e.g. Large. Or 5. small ones.\nMore of it. And more.\n\nA second paragraph."},
		{"then further paragraphs go", "hub's version alone: first paragraphs", 9, false, "The size, e.g. Large. Or 5. small ones.\nMore of it. And more."},
		{"a sentence ends before a capital", "hub's version alone: first sentences", 9, false, "The size, e.g. Large."},
		{"then what stands deep", "hub's version alone: first sentences, down to level 4", 5, false, ""},
		{"not what is near the root", "hub's version alone: first sentences, down to level 4", 4, false, "The size, e.g. Large."},
		{"and at last everything", "no descriptions", 1, false, ""},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			if got := named(t, tt.trim).text(doc, tt.depth, tt.status); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func named(t *testing.T, name string) trim {
	for _, trim := range trims {
		if trim.name == name {
			return trim
		}
	}
	t.Fatalf("no trim is called %s", name)
	return trim{}
}
