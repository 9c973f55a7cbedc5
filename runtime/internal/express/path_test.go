package express

import (
	"strings"
	"testing"
)

// TestTextsOfPathsAreBounded spells all paths of a deep object and of an object with a long name.
func TestTextsOfPathsAreBounded(t *testing.T) {
	long := member(strings.Repeat("ä", maxText))
	for reason, first := range map[string]step{"deep": member("a"), "an index": {index: 7}, "a long name": long} {
		p, total := (*Path)(nil).to(first), 0
		const levels = 4000
		for range levels {
			p = p.to(member("inner"))
			total += len(p.String())
		}
		if total > 2*levels*maxText {
			t.Errorf("%s: the texts have %d bytes", reason, total)
		}
		if text := p.String(); !strings.HasPrefix(text, "….inner.") || !strings.HasSuffix(text, ".inner.inner") {
			t.Errorf("%s: a text is %s", reason, text)
		}
	}
	indices := (*Path)(nil).to(member("lists"))
	for range maxText {
		indices = indices.to(step{index: 1234567})
	}
	if text := indices.String(); len(text) > maxText+len("…") || !strings.HasPrefix(text, "…[1234567][") {
		t.Errorf("the text of indices has %d bytes: %.20s", len(text), text)
	}
	root := (*Path)(nil).to(long)
	if text := root.String(); len(text) > maxText+len("…") || !strings.HasPrefix(text, "ä") || !strings.HasSuffix(text, "ä…") {
		t.Errorf("a long name is %d bytes: %.20s", len(text), text)
	}
	if text := root.to(step{index: 3}).String(); text != "…[3]" {
		t.Errorf("an element of it is %.20s", text)
	}
	if text := (*Path)(nil).to(member("spec")).to(step{index: 3}).to(member("name")).String(); text != "spec[3].name" {
		t.Errorf("a short path is %s", text)
	}
}
