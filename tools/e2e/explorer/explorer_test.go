package explorer

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/stratakube/strata/tools/build/browser/pagetest"
	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/programs"
	"github.com/stratakube/strata/tools/build/testrun/tier"
)

// root returns the folder of the workspace.
func root(t *testing.T) string {
	t.Helper()
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	return w.Root
}

var strata = sync.OnceValues(func() (string, error) {
	w, err := modules.Find(".")
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "strata-explorer-test-")
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "strata")
	return file, programs.Build(context.Background(), command.In{Dir: w.Root}, file, "./generator/cmd/strata")
})

func TestMain(m *testing.M) {
	code := m.Run()
	if file, err := strata(); err == nil {
		_ = os.RemoveAll(filepath.Dir(file))
	}
	os.Exit(code)
}

// run runs strata in a folder, and returns what it prints.
func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	file, err := strata()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.In{Dir: dir}.Output(t.Context(), file, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// open writes the pages of a project, and starts a browser. The address is that of their folder.
func open(t *testing.T, project string, args ...string) (tab context.Context, url string) {
	t.Helper()
	tab = pagetest.Open(t)
	dir := filepath.Join(t.TempDir(), "site")
	run(t, project, append([]string{"explorer", "-o", dir}, args...)...)
	pagetest.Do(t, tab, chromedp.EmulateViewport(1400, 1000))
	return tab, "file://" + filepath.ToSlash(dir) + "/"
}

// workedExample is the project of the worked example.
func workedExample(t *testing.T) string { return filepath.Join(root(t), "schemas", "crm") }

// details are the lines of a part of the details.
func details(t *testing.T, tab context.Context, title string) []string {
	t.Helper()
	quoted, err := json.Marshal(title)
	if err != nil {
		t.Fatal(err)
	}
	return pagetest.Value[[]string](t, tab, `[...document.querySelectorAll("aside dt")].filter((d) => d.textContent.startsWith(`+string(quoted)+
		`)).flatMap((d) => [...d.nextElementSibling.querySelectorAll("li")].map((l) => l.textContent))`)
}

// search types words, and chooses the first result by a click.
func search(t *testing.T, tab context.Context, words string) {
	t.Helper()
	pagetest.Do(t, tab, pagetest.Press("/", "Slash"), chromedp.KeyEvent(words))
	at := pagetest.Value[[]float64](t, tab, `(() => { const r = document.querySelector("#found li[aria-selected=true]").getBoundingClientRect(); return [r.x + 9, r.y + 9]; })()`)
	pagetest.Do(t, tab, chromedp.MouseClickXY(at[0], at[1]), chromedp.WaitVisible("aside dl"))
}

// choose chooses an option of the list with a label, as a click does.
func choose(t *testing.T, tab context.Context, label, option string) {
	t.Helper()
	pagetest.Value[bool](t, tab, fmt.Sprintf(`(() => {
		const list = [...document.querySelectorAll("label")].find((l) => l.textContent.startsWith(%q)).control;
		list.value = %q;
		return list.dispatchEvent(new Event("change"));
	})()`, label, option))
}

func wantLines(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// TestQuestions answers the three questions of the how-to by a search and clicks.
func TestQuestions(t *testing.T) {
	tab, url := open(t, workedExample(t))
	found := pagetest.Listen(tab)
	pagetest.Do(t, tab, chromedp.Navigate(url+"index.html"), chromedp.Click(`a[href="crm.html#Person"]`), chromedp.WaitVisible("table.grid tbody tr"))

	steps := pagetest.Value[string](t, tab, `document.querySelector(".steps").textContent`)
	for _, want := range []string{"v20130303 to v20140404: v20130303/storage PersonProperties.AssignFromPersonProperties, ", "v20180808/storage/compat Address.AssignToAddress"} {
		if !strings.Contains(steps, want) {
			t.Errorf("the steps written by hand are %q, without %q", steps, want)
		}
	}
	search(t, tab, "mailing")
	wantLines(t, "versions of mailingAddress", details(t, tab, "Versions with it"), "v20160606 to v20190909")

	search(t, tab, "alphakey")
	wantLines(t, "names of alphaKey", details(t, tab, "Names"), "alphaKey: v20140404", "sortKey: v20150505 to v20190909")
	wantLines(t, "where alphaKey is", details(t, tab, "Where the value is"),
		`v20110101 to v20140404preview: in the property bag of spec.properties, key "alphaKey" (string, of v20140404)`)

	pagetest.Do(t, tab, chromedp.Click(`th[title="spec.properties.residentialAddress"]`))
	wantLines(t, "versions of residentialAddress", details(t, tab, "Versions with it"), "v20130303", "v20190909")
	pagetest.Do(t, tab, chromedp.Click(`th[title^="spec.properties.residentialAddress."]`))
	if within := details(t, tab, "Where the value is"); len(within) == 0 || !slices.ContainsFunc(within, func(l string) bool {
		return strings.Contains(l, `within residentialAddress, in the property bag of spec.properties, key "residentialAddress"`)
	}) {
		t.Errorf("a part of a hidden object is in %q", within)
	}
	if all := found.Take(); len(all) > 0 {
		t.Errorf("errors in the console: %q", all)
	}
}

// state is what a page shows.
const state = `JSON.stringify([document.title, document.querySelector("table.grid").innerText, document.querySelector("aside").innerText,
	document.querySelector("pre").innerText, [...document.querySelectorAll("select")].map((s) => s.value)])`

// TestPermanentLinks loads the address of each view anew, and requires the same view.
func TestPermanentLinks(t *testing.T) {
	tab, url := open(t, workedExample(t))
	pagetest.Do(t, tab, chromedp.Navigate(url+"crm.html"), chromedp.WaitVisible("table.grid tbody tr"))
	search(t, tab, "alphakey")
	views := []func(){
		func() {},
		func() { choose(t, tab, "Version", "v20130303") },
		func() {
			choose(t, tab, "Compare", "v20140404")
			choose(t, tab, "with", "v20190909")
		},
		func() { choose(t, tab, "Kind", "Party") },
	}
	seen := map[string]bool{}
	for i, view := range views {
		view()
		was := pagetest.Value[string](t, tab, state)
		link := pagetest.Value[string](t, tab, "location.href")
		if seen[link] {
			t.Errorf("view %d has the address of another one: %s", i, link)
		}
		seen[link] = true
		pagetest.Do(t, tab, chromedp.Navigate("about:blank"), chromedp.Navigate(link), chromedp.WaitVisible("table.grid tbody tr"))
		if is := pagetest.Value[string](t, tab, state); is != was {
			t.Errorf("%s shows\n%s\nand not\n%s", link, is, was)
		}
	}
	pagetest.Do(t, tab, chromedp.Navigate(url+"crm.html#Person?a=v20140404&b=v20150505"), chromedp.Reload(), chromedp.WaitVisible("table.grid tbody tr"))
	if text := pagetest.Value[string](t, tab, `document.querySelector("table.grid").innerText`); !strings.Contains(text, "renamed from alphaKey") {
		t.Errorf("the comparison lacks a rename: %s", text)
	}
	pagetest.Do(t, tab, chromedp.Navigate(url+"crm.html#%ff/no/%property?a=x"), chromedp.Reload(), chromedp.WaitVisible("table.grid tbody tr"))
}

// TestKeyboard reads the history with the keyboard alone.
func TestKeyboard(t *testing.T) {
	tab, url := open(t, workedExample(t))
	pagetest.Do(t, tab, chromedp.Navigate(url+"crm.html"), chromedp.WaitVisible("table.grid tbody tr"))
	active := func() string {
		return pagetest.Value[string](t, tab, `document.activeElement.title || document.activeElement.ariaLabel || document.activeElement.labels?.[0]?.textContent || ""`)
	}
	pagetest.Do(t, tab, pagetest.Press("/", "Slash"), chromedp.KeyEvent("residentialaddress"), chromedp.WaitVisible("#found li[aria-selected=true]"), chromedp.KeyEvent(kb.Enter))
	if got := active(); got != "spec.properties.residentialAddress" {
		t.Fatalf("the search leads to %q", got)
	}
	if got := pagetest.Value[int](t, tab, `document.querySelectorAll('table.grid [tabindex="0"]').length`); got != 1 {
		t.Errorf("the table has %d cells that the tabulator reaches", got)
	}
	pagetest.Do(t, tab, chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowDown))
	if got := active(); !strings.HasPrefix(got, "spec.properties.residentialAddress.") {
		t.Errorf("the arrows lead to %q", got)
	}
	pagetest.Do(t, tab, chromedp.KeyEvent(kb.Enter))
	if got := pagetest.Value[string](t, tab, `document.querySelector("aside h2").textContent`); !strings.HasPrefix(got, "spec.properties.residentialAddress.") {
		t.Errorf("the details are those of %q", got)
	}
	pagetest.Do(t, tab, chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft))
	if got := pagetest.Value[string](t, tab, `document.activeElement.closest("tr").ariaExpanded`); got != "false" {
		t.Errorf("the row is unfolded: %q", got)
	}
	pagetest.Do(t, tab, chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
	pagetest.Do(t, tab, pagetest.Press("c", "KeyC"))
	if got := active(); !strings.HasPrefix(got, "Compare") {
		t.Errorf("c leads to %q", got)
	}
	pagetest.Do(t, tab, chromedp.Focus("table.grid [tabindex='0']"), pagetest.Press("?", "Slash"), chromedp.WaitVisible("dialog[open]"), chromedp.KeyEvent(kb.Escape), chromedp.WaitNotVisible(chromedp.CSS("dialog")))
}

// firstPaint is an expression for the time after which the page showed something, in milliseconds.
const firstPaint = `new Promise((done) => {
	const look = () => {
		const paint = performance.getEntriesByName("first-contentful-paint")[0];
		if (paint) done(paint.startTime); else setTimeout(look, 20);
	};
	look();
})`

// inColors lets the page have light or dark colors.
func inColors(colors string) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		return cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: colors}}})
	}
}

// TestLooks requires enough contrast in both colors, and a name for each control.
func TestLooks(t *testing.T) {
	tab, url := open(t, workedExample(t))
	found := pagetest.Listen(tab)
	for _, colors := range []string{"light", "dark"} {
		media := inColors(colors)
		for _, page := range []string{"index.html", "crm.html#Person/spec/properties/residentialAddress", "crm.html?2#Person?a=v20140404&b=v20190909"} {
			pagetest.Do(t, tab, media, chromedp.Navigate(url+page), chromedp.Reload(), chromedp.WaitVisible("table.grid tbody tr, .index a"))
			if low := pagetest.Value[[]string](t, tab, pagetest.Contrasts); len(low) > 0 {
				t.Errorf("%s, %s: too little contrast: %q", page, colors, low)
			}
			if n := pagetest.Value[int](t, tab, pagetest.Nameless); n > 0 {
				t.Errorf("%s: %d controls have no name", page, n)
			}
		}
		t.Logf("%s: first paint of the worked example after %.0f ms", colors, pagetest.Value[float64](t, tab, firstPaint))
	}
	if all := found.Take(); len(all) > 0 {
		t.Errorf("errors in the console: %q", all)
	}
}

// TestSamples requires that each sample of each kind is an object of its version: strata convert
// refuses properties that a version does not have.
func TestSamples(t *testing.T) {
	tier.Long(t, "shows each sample of each kind")
	tab, url := open(t, workedExample(t))
	dir, samples := t.TempDir(), 0
	for _, kind := range []string{"Person", "Party", "PersonsNote"} {
		for _, all := range []string{"", "&all=1"} {
			pagetest.Do(t, tab, chromedp.Navigate(url+"crm.html?"+kind+all+"#"+kind), chromedp.WaitVisible(chromedp.CSS("pre")))
			for _, version := range pagetest.Value[[]string](t, tab, `[...document.querySelectorAll("thead th")].slice(1).map((h) => h.firstChild.data)`) {
				text := pagetest.Value[string](t, tab, fmt.Sprintf(`new Promise((done) => {
					addEventListener("hashchange", () => setTimeout(() => done(document.querySelector("pre").textContent)), {once: true});
					location.hash = %q;
				})`, "#"+kind+"?sample="+version+all))
				if !strings.HasPrefix(text, "apiVersion: crm.example.com/"+version+"\nkind: "+kind+"\n") {
					t.Fatalf("the sample of %s %s is\n%s", kind, version, text)
				}
				file := filepath.Join(dir, "sample.yaml")
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				samples++
				run(t, workedExample(t), "convert", "--to", version, "--check", file)
			}
		}
	}
	if samples < 40 {
		t.Errorf("%d samples", samples)
	}
}

// party is an object whose address and channels the first versions hide.
const party = "apiVersion: crm.example.com/v20190909\nkind: Party\nmetadata: {name: ada}\nspec:\n  properties:\n    displayName: Ada # a comment\n    channels: {}\n    postalAddress: {city: London}\n"

// person is an object whose conversions have steps that were written by hand.
const person = "apiVersion: crm.example.com/v20150505\nkind: Person\nmetadata: {name: ada}\nspec:\n  properties:\n    sortKey: lovelace\n"

// paste shows an object in every version, and returns the message of the page.
func paste(t *testing.T, tab context.Context, object string) string {
	t.Helper()
	return pagetest.Value[string](t, tab, fmt.Sprintf(`new Promise((done) => {
		const part = document.querySelector(".objects"), message = part.querySelector("[role=status]");
		part.querySelector("textarea").value = %q;
		[...part.querySelectorAll("button")].find((b) => b.textContent.startsWith("Show")).click();
		const wait = () => message.textContent.startsWith("Loading") ? setTimeout(wait, 50) : done(message.textContent);
		wait();
	})`, object))
}

// viewOf is an expression for the part of a page that has the object in a version.
func viewOf(version string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(".views details")].find((d) => d.querySelector("summary").textContent.startsWith(%q))`, version)
}

// TestObjectInEveryVersion pastes an object into a page from disk. It requires what each version
// reads and hides, and what an edit there changes in the hub.
func TestObjectInEveryVersion(t *testing.T) {
	tab, url := open(t, workedExample(t), "--convert")
	found := pagetest.Listen(tab)
	pagetest.Do(t, tab, chromedp.Navigate(url+"crm.html#Person"), chromedp.WaitVisible("table.grid tbody tr"))
	if loaded := pagetest.Value[int](t, tab, `document.querySelectorAll("script[src]").length`); loaded > 0 {
		t.Errorf("the page loads %d scripts before an object is pasted", loaded)
	}
	if got := paste(t, tab, "kind: [\n"); !strings.HasPrefix(got, "not YAML") {
		t.Errorf("half of an object: %q", got)
	}
	if got := paste(t, tab, person); !strings.HasPrefix(got, "Person in 1 of 10 versions. Not shown, because steps written by hand convert them: v20110101, ") {
		t.Errorf("an object with hand-written steps: %q", got)
	}
	if got, want := paste(t, tab, party), "Party in 5 of 5 versions."; got != want {
		t.Errorf("the message is %q, want %q", got, want)
	}
	for version, want := range map[string]string{
		"v20150505": `v20150505: hides 2 valuesHidden, and stored in the property bagspec.properties, key "channels" of the property bag: {}` +
			`spec.properties, key "postalAddress" of the property bag: {"city":"London"}`,
		"v20170707": `v20170707: hides 1 value`, "v20180808": "v20180808: hides nothing", "v20190909": "v20190909 (hub): hides nothing",
	} {
		if got := pagetest.Value[string](t, tab, viewOf(version)+`.textContent`); !strings.HasPrefix(got, want) {
			t.Errorf("%s shows %q, want %q", version, got, want)
		}
	}
	text := pagetest.Value[string](t, tab, viewOf("v20150505")+`.querySelector("textarea").value`)
	if !strings.HasPrefix(text, "apiVersion: crm.example.com/v20150505\nkind: Party\n") || !strings.Contains(text, "displayName: Ada # a comment\n") || strings.Contains(text, "\n    channels") {
		t.Errorf("v20150505 reads\n%s", text)
	}
	effect := pagetest.Value[string](t, tab, `(() => {
		const view = `+viewOf("v20150505")+`, text = view.querySelector("textarea");
		text.value = text.value.replace("displayName: Ada", "displayName: Bo");
		text.dispatchEvent(new Event("input"));
		return view.querySelector("[role=status]").textContent;
	})()`)
	if want := `This edit changes in the hub, v20190909spec.properties.displayName: "Ada" becomes "Bo"`; effect != want {
		t.Errorf("after an edit, the page says %q, want %q", effect, want)
	}
	for _, colors := range []string{"light", "dark"} {
		pagetest.Do(t, tab, inColors(colors))
		if low := pagetest.Value[[]string](t, tab, pagetest.Contrasts); len(low) > 0 {
			t.Errorf("%s: too little contrast: %q", colors, low)
		}
	}
	if n := pagetest.Value[int](t, tab, pagetest.Nameless); n > 0 {
		t.Errorf("%d controls have no name", n)
	}
	if all := found.Take(); len(all) > 0 {
		t.Errorf("errors in the console: %q", all)
	}
}

// TestPageAlone explains what is missing if a page was sent without the files beside it, or was
// written without --convert.
func TestPageAlone(t *testing.T) {
	tab, url := open(t, workedExample(t))
	pagetest.Do(t, tab, chromedp.Navigate(url+"crm.html#Person"), chromedp.WaitVisible("table.grid tbody tr"))
	if text := pagetest.Value[string](t, tab, `document.querySelector(".objects").textContent`); !strings.Contains(text, "strata explorer --convert") {
		t.Errorf("without --convert, the page says %q", text)
	}
	tab, url = open(t, workedExample(t), "--convert")
	if err := os.Remove(filepath.Join(filepath.FromSlash(strings.TrimPrefix(url, "file://")), "convert.js")); err != nil {
		t.Fatal(err)
	}
	pagetest.Do(t, tab, chromedp.Navigate(url+"crm.html#Person"), chromedp.WaitVisible("table.grid tbody tr"))
	if got := paste(t, tab, party); got != "The file convert.js is not beside this page." {
		t.Errorf("without convert.js, the page says %q", got)
	}
}

// hostileName is the name of a property that would be markup.
const hostileName = `</script><img src=x onerror=alert(1)>`

// TestHostileSchema shows a schema whose texts are markup as texts.
func TestHostileSchema(t *testing.T) {
	project := t.TempDir()
	object := map[string]any{"type": "object", "properties": map[string]any{
		"a":           map[string]any{"type": "string", "description": hostileName, "enum": []string{hostileName}},
		"constructor": map[string]any{"type": "string", "default": hostileName}, "__proto__": map[string]any{"type": "string"},
	}}
	schema := map[string]any{"resourceDefinitions": map[string]any{"orders": map[string]any{"properties": map[string]any{
		"type": map[string]any{"enum": []string{"Contoso.Shop/orders"}}, "apiVersion": map[string]any{"enum": []string{"2020-01-01"}}, "properties": object,
	}}}}
	writeProject(t, project, schema)
	tab, url := open(t, project)
	found := pagetest.Listen(tab)
	pagetest.Do(t, tab, chromedp.Navigate(url+"contoso-shop.html?all=1#Order/spec/properties/a?all=1"), chromedp.WaitVisible("aside dl"))
	if text := pagetest.Value[string](t, tab, `document.querySelector("aside").textContent`); !strings.Contains(text, hostileName) {
		t.Errorf("the details are %s", text)
	}
	search(t, tab, "__proto__")
	if pictures := pagetest.Value[int](t, tab, `document.images.length`); pictures > 0 {
		t.Errorf("%d pictures", pictures)
	}
	if all := found.Take(); len(all) > 0 {
		t.Errorf("errors in the console: %q", all)
	}
}

// writeProject writes a project with one ARM schema.
func writeProject(t *testing.T, dir string, schema any) {
	t.Helper()
	text, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "schemas", "2020-01-01"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string]string{
		"go.mod":                       "module example.com/shop\n",
		"strata.yaml":                  "apiVersion: strata.dev/v1alpha1\nkind: Generation\nsources: [{arm: {root: schemas}}]\noutput: {dir: api, module: example.com/shop/api}\ngroups: {suffix: example.com}\n",
		"schemas/2020-01-01/Shop.json": string(text),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSearchOfManyProperties searches in 50,000 properties. It reports how long that takes.
func TestSearchOfManyProperties(t *testing.T) {
	tier.Long(t, "shows 50,000 properties")
	project := t.TempDir()
	definitions, outer := map[string]any{}, map[string]any{}
	for i := range 500 {
		inner := map[string]any{}
		for j := range 100 {
			inner[fmt.Sprintf("property%dOf%d", j, i)] = map[string]any{"type": "string", "description": fmt.Sprintf("The %d. property of object %d.", j, i)}
		}
		definitions[fmt.Sprintf("Object%d", i)] = map[string]any{"type": "object", "properties": inner}
		outer[fmt.Sprintf("object%d", i)] = map[string]any{"$ref": fmt.Sprintf("#/definitions/Object%d", i)}
	}
	writeProject(t, project, map[string]any{"definitions": definitions, "resourceDefinitions": map[string]any{"orders": map[string]any{"properties": map[string]any{
		"type": map[string]any{"enum": []string{"Contoso.Shop/orders"}}, "apiVersion": map[string]any{"enum": []string{"2020-01-01"}},
		"properties": map[string]any{"type": "object", "properties": outer},
	}}}})
	tab, url := open(t, project)
	pagetest.Do(t, tab, chromedp.Navigate(url+"contoso-shop.html"), chromedp.WaitVisible("table.grid tbody tr"))
	if rows := pagetest.Value[int](t, tab, `document.querySelectorAll("table.grid tbody tr").length`); rows > 200 {
		t.Errorf("the table has %d rows at first", rows)
	}
	paint := pagetest.Value[float64](t, tab, firstPaint)
	took := pagetest.Value[[]float64](t, tab, `["", "property99of499", "object 77", "nothing of this"].map((words) => {
		const input = document.querySelector("input[type=search]"), start = performance.now();
		input.value = words || "property";
		input.dispatchEvent(new Event("input"));
		return performance.now() - start;
	})`)
	t.Logf("first paint after %.0f ms; the first search with the index %.0f ms, then %.1f ms", paint, took[0], took[1:])
	search(t, tab, "property99of499")
	if got := pagetest.Value[string](t, tab, `document.querySelector("aside h2").textContent`); got != "spec.properties.object499.property99Of499" {
		t.Errorf("the search finds %q", got)
	}
	if got := pagetest.Value[string](t, tab, `document.activeElement.title`); got != "spec.properties.object499.property99Of499" {
		t.Errorf("the search leads to the row of %q", got)
	}
	pagetest.Do(t, tab, chromedp.Navigate(url+"contoso-shop.html?again"), chromedp.WaitVisible("table.grid tbody tr"))
	rows := pagetest.Value[[]int](t, tab, `new Promise((done) => {
		const box = document.querySelector(".scroll"), count = () => document.querySelectorAll("table.grid tbody tr").length, first = count();
		box.addEventListener("scroll", () => setTimeout(() => done([first, count()])), {once: true});
		box.scrollTop = box.scrollHeight;
	})`)
	if rows[1] <= rows[0] {
		t.Errorf("at its end, the table has %d rows, and %d before", rows[1], rows[0])
	}
	all := pagetest.Value[int](t, tab, `dispatchEvent(new Event("beforeprint")) && document.querySelectorAll("table.grid tbody tr").length`)
	if all < 500 {
		t.Errorf("a print has %d rows", all)
	}
}
