package engine_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// hostileParts are what drawn texts consist of: line ends and invisible runes, directives, markers,
// and what Go, YAML, Markdown, Helm and formats of texts give a meaning.
var hostileParts = []string{
	"\n", "\r", "\r\n", "\u0085", "\u2028", "\u2029", "\v", "\f", "\x00", "\x1b[31m", "\ufeff", "\u202e", "\u00a0", "\u200b", "\u00ad", "\u3000", "\U000e0001", "\ufffd", "\u061c", "\t", " ", "  ",
	"//", "/*", "*/", "//go:generate touch x", "go:build ignore", "//go:linkname a b", "//line a.go:1", "line x:1", "+build ignore", "// +build x", "//nolint", "nolint:all", "export Evil", "extern x", "#cgo X",
	"lint:ignore U1000 x", "sys x", "a:b", "a:1", "!nolint", "import \"C\"", "func Evil() {}", "var Evil = 1", "package evil", "Deprecated: x", "Deprecated:", "BUG(x): y", "Output:", "Unordered output:",
	"+kubebuilder:validation:Enum=a;b", "+optional", "+required", "+k8s:openapi-gen=true", "+genclient", "+groupName=x", "+strata:rename=x",
	"`", "\"", "'", "\\", "\\n", "\\u000a", "${x}", "$(evil)", "%s", "%!d(x)", "{{ evil }}", "{{-", "}}",
	"---", "...", "- ", ": ", "? ", "!!binary x", "&a", "*a", "%YAML 1.2", "# ", "|", "\\|", "null", "~", "true", "1e9", "0x1", "NaN", ".inf", "2001-01-01", "=", "<<", "@", "%",
	"<b>", "<!--", "-->", "[x](y)", "![x](y)", "http://x", "```", "~~~", "# Title", "> q", "* l", "1. l",
	"ß", "漢字", "é", "A", "a", "the size of it", "x.", "x;", "$ref", "__proto__", "constructor", "CON", "nul", "..", ".", "/", "go", "type", "func", "init", "main", "_", "test", "x_test", "x_windows", "1", "-",
	strings.Repeat("x", 130),
}

// drawHostile draws a text of hostile parts, of which some repeat.
func drawHostile(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(9) {
		part := hostileParts[r.IntN(len(hostileParts))]
		if r.IntN(12) == 0 {
			part = strings.Repeat(part+" ", 1+r.IntN(30))
		}
		b.WriteString(part)
	}
	text := b.String()
	return strings.ToValidUTF8(text[:min(len(text), longestFuzzed/2)], "")
}

// TestHostileDraws repeats TestHostileTexts and TestHostileNames with drawn texts, each at all
// positions of texts or at the position of a name, alone or behind the usual name.
func TestHostileDraws(t *testing.T) {
	draws := 80
	if os.Getenv("STRATA_SOAK") != "" {
		draws = 4000
	}
	plain := map[string]map[string]string{}
	for seed := range draws {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		front, text := hostileFronts[seed%len(hostileFronts)], drawHostile(r)
		positions := slices.Sorted(maps.Keys(front.names))
		at := r.IntN(2 * len(positions))
		t.Run(fmt.Sprintf("%s/%d", front.name, seed), func(t *testing.T) {
			t.Logf("%q", text)
			if at >= len(positions) {
				if plain[front.name] == nil {
					_, _, _, plain[front.name] = front.run(t, "plain", "", "")
				}
				front.isText(t, plain[front.name], text)
				return
			}
			if r.IntN(2) == 0 {
				text = front.names[positions[at]] + text
			}
			front.isHarmless(t, positions[at], text)
		})
	}
}
