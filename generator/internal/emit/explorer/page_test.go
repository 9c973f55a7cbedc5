package explorer_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/emit/explorer"
)

// hostile is a text of a schema that would leave each element of a page if it were not escaped.
const hostile = `</script><script>alert(1)</script><img src=x onerror=alert(1)>"'&<!--` + "\u2028"

// hostilePages prints the pages of a group in which every text is hostile.
func hostilePages(t *testing.T) map[string][]byte {
	t.Helper()
	cell := explorer.Cell{
		State: explorer.Lone, Name: hostile, Doc: hostile, Default: hostile, Type: explorer.Type{Text: hostile, Leaf: hostile, Values: []string{hostile}},
		Keys: []explorer.Key{{Name: hostile, Type: hostile}},
	}
	h := &explorer.History{Group: hostile, Folder: "shop", Kinds: []*explorer.Kind{{
		Name: hostile, Plural: hostile, Resource: hostile, Versions: []explorer.Version{{Name: hostile, Label: hostile, Doc: hostile, Warning: hostile, Before: -1}},
		Objects: []*explorer.Object{{Path: hostile, Properties: []*explorer.Property{{ID: hostile, Cells: []explorer.Cell{cell}, Declared: []explorer.Declared{{Text: hostile, Other: hostile}}}}}},
	}}}
	return pages(t, h)
}

func pages(t *testing.T, all ...*explorer.History) map[string][]byte {
	t.Helper()
	return withObjects(t, nil, all...)
}

func withObjects(t *testing.T, objects *explorer.Objects, all ...*explorer.History) map[string][]byte {
	t.Helper()
	files, err := explorer.Files(context.Background(), all, objects)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, f := range files {
		out[f.Path] = f.Body
	}
	return out
}

// tags finds the elements of a page.
var tags = regexp.MustCompile(`(?s)<[a-zA-Z!/][^>]*>`)

// TestHostileTexts requires that texts of schemas make no elements, and that the program gets them
// unchanged.
func TestHostileTexts(t *testing.T) {
	harmless := pages(t, &explorer.History{Group: "shop.example.com", Folder: "shop", Kinds: []*explorer.Kind{{Name: "Order", Versions: []explorer.Version{{Label: "v1"}}, Objects: []*explorer.Object{{}}}}})
	for name, body := range hostilePages(t) {
		if got, want := len(tags.FindAll(body, -1)), len(tags.FindAll(harmless[name], -1)); got != want || want == 0 {
			t.Errorf("%s has %d elements and not %d", name, got, want)
		}
	}
	_, text, found := strings.Cut(string(hostilePages(t)["shop.html"]), `id="data">`)
	text, _, ends := strings.Cut(text, "</script>")
	var data struct {
		Group string
		Texts []string
	}
	if err := json.Unmarshal([]byte(text), &data); err != nil || !found || !ends || data.Group != hostile || data.Texts[1] != hostile {
		t.Errorf("the program gets %q, %v", data, err)
	}
}

var (
	policies  = regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`)
	addresses = regexp.MustCompile(`(?i)\b(?:src|href|action|url)\s*[=(:]\s*["']?([^"'\s)>]*)`)
)

// TestPagesLoadNothing requires that pages refer to nothing outside of their folder, and that their
// policy allows their own style and program only.
func TestPagesLoadNothing(t *testing.T) {
	for name, body := range hostilePages(t) {
		policy := policies.FindSubmatch(body)
		if policy == nil || !bytes.HasPrefix(policy[1], []byte("default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-")) {
			t.Fatalf("%s has the policy %s", name, policy)
		}
		for _, element := range []string{"style", "script"} {
			_, text, found := bytes.Cut(body, []byte("<"+element+">"))
			text, _, _ = bytes.Cut(text, []byte("</"+element+">"))
			sum := sha256.Sum256(text)
			if allowed := bytes.Contains(policy[1], []byte(element+"-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")); allowed != found {
				t.Errorf("%s: the policy %s allows its %s: %t", name, policy[1], element, allowed)
			}
		}
		for _, tag := range tags.FindAll(regexp.MustCompile(`(?s)<script.*</script>`).ReplaceAll(body, nil), -1) {
			for _, m := range addresses.FindAllSubmatch(tag, -1) {
				if to := string(m[1]); !strings.HasPrefix(to, "shop.html") {
					t.Errorf("%s refers to %q", name, to)
				}
			}
		}
	}
}

// TestIndex names the pages of groups that have the names of devices and of the index.
func TestIndex(t *testing.T) {
	all := pages(t, &explorer.History{Group: "a.example.com", Folder: "index"}, &explorer.History{Group: "b.example.com", Folder: "con"})
	if len(all) != 3 || all["index_.html"] == nil || all["con_.html"] == nil {
		t.Errorf("%d pages", len(all))
	}
	for _, link := range []string{`<a href="index_.html">a.example.com</a>`, `<a href="con_.html">b.example.com</a>`} {
		if !bytes.Contains(all[explorer.Index], []byte(link)) {
			t.Errorf("the index lacks %s", link)
		}
	}
}

// TestFilesEnd prints nothing once the context has ended.
func TestFilesEnd(t *testing.T) {
	ctx, end := context.WithCancel(context.Background())
	end()
	if all, err := explorer.Files(ctx, []*explorer.History{{}}, nil); all != nil || !errors.Is(err, context.Canceled) {
		t.Error(all, err)
	}
}

// TestObjects requires that a page can load the scripts that convert objects, and no other.
func TestObjects(t *testing.T) {
	script, err := explorer.Converter([]byte("/* support */"), []byte("program"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := explorer.Converter([]byte("/* support */"), []byte("program"))
	if err != nil || !bytes.Equal(script, again) {
		t.Errorf("another run gives %s, %v", again, err)
	}
	history := &explorer.History{Group: "shop.example.com", Folder: "shop"}
	all := withObjects(t, &explorer.Objects{Program: script, Plans: map[string][]byte{"shop": []byte(hostile)}}, history)
	if len(all) != 4 || !bytes.Equal(all["convert.js"], script) || bytes.Contains(all["shop.plans.js"], []byte("<")) {
		t.Errorf("%d files; the plans are %s", len(all), all["shop.plans.js"])
	}
	with, without := policies.FindSubmatch(all["shop.html"])[1], policies.FindSubmatch(pages(t, history)["shop.html"])[1]
	if got := bytes.TrimPrefix(with, without); string(got) != " 'self' file: 'wasm-unsafe-eval'" {
		t.Errorf("the policy is\n%s and not\n%s with two sources more", with, without)
	}
}
