package armschema

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// realSchemas are those that STRATA_CORPORA names, else those beside the workspace.
func realSchemas(t testing.TB) string {
	dir := os.Getenv("STRATA_CORPORA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "..", "shared", "corpora")
	}
	dir = filepath.Join(dir, "arm", "schemas")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("needs corpora: there are no real schemas: set STRATA_CORPORA to their folder")
	}
	return dir
}

// TestEveryRealSchema compiles all resource versions, and validates bodies that are drawn from
// each: one with the required members only, one with all members, and one with an unknown member.
func TestEveryRealSchema(t *testing.T) {
	if testing.Short() {
		t.Skip("short: compiles thousands of schemas")
	}
	started := time.Now()
	l, err := Open(realSchemas(t))
	if err != nil {
		t.Fatal(err)
	}
	all, err := l.All()
	if err != nil {
		t.Fatal(err)
	}
	c := count{notJudged: map[string]int{}}
	for i, e := range all {
		s, err := l.Find(e.Type, e.Version, e.Section)
		if err != nil {
			t.Errorf("%v: %v", e, err)
			continue
		}
		c.compiled++
		for _, note := range s.NotJudged() {
			c.notJudged[note]++
		}
		c.judge(t, e, s, uint64(i))
		l.forget()
	}
	t.Logf("%d resource versions in %v: %d compiled, %d bodies fit, %d could not be drawn, %d strange members refused; %d notes",
		len(all), time.Since(started).Round(time.Millisecond), c.compiled, c.fit, c.undrawn, c.strange, len(c.notJudged))
	if c.undrawn*20 > c.fit {
		t.Errorf("%d of %d bodies could not be drawn", c.undrawn, c.undrawn+c.fit)
	}
}

type count struct {
	compiled, fit, undrawn, strange int
	notJudged                       map[string]int
}

func (l *Library) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.compiled)
	l.found.Clear()
}

func (c *count) judge(t *testing.T, e Entry, s *Schema, seed uint64) {
	for _, full := range []bool{false, true} {
		draw := &sampler{rand: rand.New(rand.NewPCG(seed, 1)), full: full}
		body, ok := draw.draw(s.files[0].body, 0)
		if !ok {
			c.undrawn++
			t.Logf("%v: no body could be drawn (all members: %t)", e, full)
			continue
		}
		if problems := s.Validate(body); len(problems) > 0 {
			t.Errorf("%v: a drawn body is refused: %v", e, problems)
			continue
		}
		c.fit++
		if known := s.Known(body.(map[string]any)); !same(known, body) {
			t.Errorf("%v: of what fits not all is known:\n%v\n%v", e, show(body), show(known))
		}
		c.addStrange(t, e, s, body)
	}
}

func same(a, b any) bool { return show(a) == show(b) }

func show(v any) string {
	data, _ := json.Marshal(v)
	return string(data)
}

// addStrange adds an unknown member at the root and, where they are closed, to properties.
func (c *count) addStrange(t *testing.T, e Entry, s *Schema, body any) {
	object := body.(map[string]any)
	object["strangeMember"] = true
	problems := s.Validate(object)
	delete(object, "strangeMember")
	if !slices.ContainsFunc(problems, func(p Problem) bool { return p.Path == "strangeMember" }) {
		t.Errorf("%v: a strange member at the root gives %v", e, problems)
		return
	}
	c.strange++
}

// TestRawSchemasAgree validates drawn bodies by the published schemas, unchanged. They may refuse
// a body that this package accepts only if it fits two branches of a union. It validates each
// body again with a wrong value in each of its members.
func TestRawSchemasAgree(t *testing.T) {
	dir := realSchemas(t)
	l, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	agreed, excused, wrong := 0, 0, 0
	for _, typ := range []string{
		"Microsoft.Batch/batchAccounts", "Microsoft.Batch/batchAccounts/pools", "Microsoft.Storage/storageAccounts", "Microsoft.Kusto/clusters/databases",
		"Microsoft.ContainerRegistry/registries", "Microsoft.KeyVault/vaults", "Microsoft.Cache/redis",
	} {
		_, err := l.Find(typ, "none", "resourceDefinitions")
		unknown, ok := errors.AsType[*UnknownVersionError](err)
		if !ok {
			t.Errorf("%s: %v", typ, err)
			continue
		}
		for i, version := range unknown.Known {
			s, err := l.Find(typ, version, "resourceDefinitions")
			if err != nil {
				t.Errorf("%s %s: %v", typ, version, err)
				continue
			}
			entries, _ := l.of(typ, version)
			raw, err := compileRaw(l, preferred(entries, "resourceDefinitions")[0])
			if err != nil {
				t.Fatalf("%s %s: %v", typ, version, err)
			}
			for _, full := range []bool{false, true} {
				body, ok := (&sampler{rand: rand.New(rand.NewPCG(uint64(i), 2)), full: full}).draw(s.files[0].body, 0)
				if !ok {
					t.Errorf("%s %s: no body can be drawn", typ, version)
					continue
				}
				switch reason := disagreement(raw, s, body, version); reason {
				case "":
					agreed++
				case overlap:
					excused++
				default:
					t.Errorf("%s %s: %s\n%s", typ, version, reason, show(body))
				}
				wrong += alike(t, raw, s, body, version)
			}
		}
	}
	t.Logf("%d bodies judged alike, %d fit two branches of a union; %d wrong bodies refused alike", agreed, excused, wrong)
	if agreed < 10*excused || wrong < agreed {
		t.Errorf("only %d agree", agreed)
	}
}

// alike replaces each member below properties by a number that no schema allows, and counts
// what both schemas refuse.
func alike(t *testing.T, raw *jsonschema.Schema, s *Schema, body any, version string) (refused int) {
	properties, _ := body.(map[string]any)["properties"].(map[string]any)
	for name, right := range properties {
		properties[name] = json.Number("-17.25")
		ours, theirs := s.Validate(body), disagreement(raw, s, body, version)
		if (len(ours) > 0) != (theirs != "") {
			t.Errorf("%s %s: a number as properties.%s: %v; the raw schema: %q", s.Type, version, name, ours, theirs)
		}
		if len(ours) > 0 {
			refused++
		}
		properties[name] = right
	}
	return refused
}

const overlap = "fits two branches"

func compileRaw(l *Library, e entry) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft6)
	c.UseRegexpEngine(compilePattern)
	c.UseLoader(rawLoader{l, e.file.root})
	return c.Compile("https://schema.management.azure.com/schemas/" + e.file.path + "#" + e.pointer)
}

// rawLoader gives published files, without the name of draft 4, which does not know const.
type rawLoader struct {
	l *Library
	r *root
}

func (r rawLoader) Load(url string) (any, error) {
	doc, err := r.l.locate(url, &document{root: r.r, path: "none/none.json"})
	if err != nil {
		return nil, err
	}
	whole := map[string]any{}
	for name, v := range doc.value.(map[string]any) {
		if name != "$schema" && name != "id" {
			whole[name] = v
		}
	}
	return whole, nil
}

func disagreement(raw *jsonschema.Schema, s *Schema, body any, version string) string {
	whole := map[string]any{"name": "account1", "type": s.Type, "apiVersion": version}
	for name, v := range body.(map[string]any) {
		whole[name] = v
	}
	err := raw.Validate(whole)
	if err == nil {
		return ""
	}
	text := err.Error()
	if v, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		text = fmt.Sprintf("%#v", v)
	}
	if strings.Contains(text, "oneOf") && strings.Contains(err.Error(), "valid against schemas at indexes") {
		return overlap
	}
	return err.Error()
}
