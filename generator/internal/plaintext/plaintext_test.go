package plaintext_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stratakube/strata/generator/internal/plaintext"
)

const hostile = "a\x00b\x1b[31mc\u0085d\u2028e\u2029f\u202eg\u2066h\ufeffi\xffj\ufffdk\u200fl\U000e0041m\x7fn"

func TestLine(t *testing.T) {
	if got, want := plaintext.Line("\t"+hostile+"\r\nend\u00a0."), " ab[31mc d e fghijklmn  end ."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLines(t *testing.T) {
	if got, want := plaintext.Lines("\t"+hostile+"\r\nend\u00a0\U0001f469\u200d\U0001f52c."), "\tab[31mc\nd\ne\nfghijklmn\r\nend\u00a0\U0001f469\u200d\U0001f52c."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestVisible(t *testing.T) {
	want := `a\x00b\x1b[31mc\u0085d\u2028e\u2029f\u202eg\u2066h\ufeffi\xffj\ufffdk\u200fl\U000e0041m\x7fn`
	if got := plaintext.Visible(hostile); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := plaintext.Visible("a\n\t\rb"); got != `a\n\t\rb` {
		t.Errorf("%q", got)
	}
	if got := plaintext.VisibleLines("a\x1b\n\tb\rc\r\n\r"); got != "a\\x1b\n\tb\\rc\r\n\\r" {
		t.Errorf("%q", got)
	}
}

func TestMarkdown(t *testing.T) {
	for _, c := range []struct{ reason, text, want string }{
		{"text stays as it is", "a 1.5 (b) #c + d-e", "a 1.5 (b) #c + d-e"},
		{"a cell does not end", "a | b\nc", `a \| b c`},
		{"nor does an escape help", `a \| b`, `a \\\| b`},
		{"no HTML", "<script>&lt;", "&lt;script>&amp;lt;"},
		{"no links", "[a](b) ![c](d) http://e www.f.g h@i.j", `\[a\](b) !\[c\](d) http:&#47;&#47;e www&#46;f.g h&#64;i.j`},
		{"no emphasis or code", "*a* _b_ ~c~ `d`", "\\*a\\* \\_b\\_ \\~c\\~ \\`d\\`"},
	} {
		if got := plaintext.Markdown(c.text); got != c.want {
			t.Errorf("%s: %q gives %q, want %q", c.reason, c.text, got, c.want)
		}
	}
}

func TestCode(t *testing.T) {
	for _, c := range []struct{ reason, text, want string }{
		{"a name", "spec.a_b", "`spec.a_b`"},
		{"nothing is no code", " \n", ""},
		{"a cell does not end", "a|b\nc", "`a\\|b c`"},
		{"nor does the code", "a`b``c", "```a`b``c```"},
		{"a mark at an end is set apart", "`", "`` ` ``"},
	} {
		if got := plaintext.Code(c.text); got != c.want {
			t.Errorf("%s: %q gives %q, want %q", c.reason, c.text, got, c.want)
		}
	}
	if got := plaintext.Fence("diff", " a\n ```\n```` b\x1b\n"); got != "`````diff\n a\n ```\n```` b\n`````\n" {
		t.Errorf("%q", got)
	}
}

func TestFileName(t *testing.T) {
	for name, want := range map[string]string{"con": "con_", "AUX": "AUX_", "lpt1": "lpt1_", "cons": "cons", "com": "com", "lpt10": "lpt10"} {
		if got := plaintext.FileName(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	if !plaintext.IsDevice("nul.txt") || plaintext.IsDevice("null.txt") {
		t.Error("extensions count, or more than names of devices do")
	}
}

// FuzzPlain checks that no rune that is not plain is left of any text.
func FuzzPlain(f *testing.F) {
	for _, seed := range []string{hostile, "", "plain", "<a href='javascript:x'>", strings.Repeat("`", 50)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, got := range map[string]string{
			"Line": plaintext.Line(text), "Visible": plaintext.Visible(text), "Markdown": plaintext.Markdown(text), "Code": plaintext.Code(text),
		} {
			if strings.IndexFunc(got, func(r rune) bool { return !plaintext.IsPlain(r) }) >= 0 || !utf8.ValidString(got) {
				t.Errorf("%s of %q is %q", name, text, got)
			}
		}
		for _, r := range plaintext.Lines(text) {
			if !plaintext.IsPlain(r) && !strings.ContainsRune("\n\r\t", r) {
				t.Errorf("Lines of %q has %q", text, r)
			}
		}
	})
}
