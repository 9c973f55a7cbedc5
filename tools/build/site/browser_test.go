package site

import (
	"context"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/stratakube/strata/tools/build/browser/pagetest"
	"github.com/stratakube/strata/tools/build/testrun/tier"
)

// ctx is the context of builds that all tests share.
var ctx = context.Background()

// open starts a browser, and serves the site on loopback.
func open(t *testing.T) (tab context.Context, url string) {
	t.Helper()
	return openWith(t, http.FileServer(http.Dir(site(t))))
}

func openWith(t *testing.T, pages http.Handler) (tab context.Context, url string) {
	t.Helper()
	server := httptest.NewServer(pages)
	t.Cleanup(server.Close)
	return pagetest.Open(t), server.URL + "/"
}

// slash presses the key of the search.
var slash = pagetest.Press("/", "Slash")

// names returns the pages of the site of one version.
func names(t *testing.T) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(site(t), func(file string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == "v0.0.1" || entry.Name() == explorer) {
			return fs.SkipDir
		}
		if filepath.Ext(file) == ".html" {
			name, _ := filepath.Rel(site(t), file)
			all = append(all, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil || len(all) < 100 {
		t.Fatal(len(all), err)
	}
	return all
}

// shifts returns how much the layout of the page moved after it was shown, once all has been
// loaded.
const shifts = `new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((l) => { for (const e of l.getEntries()) sum += e.value; }).observe({type: "layout-shift", buffered: true});
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(sum), 0)));
})`

// drawn returns the names of all pages where tests may take minutes, else of every tenth one.
func drawn(t *testing.T) (out []string) {
	t.Helper()
	for i, name := range names(t) {
		if i%tier.IfLong(10, 1) == 0 {
			out = append(out, name)
		}
	}
	return out
}

// moves is the shift of a layout above which TestPagesInBrowser fails. The columns of a table may
// become wider by some pixels while its last rows arrive. Readers see shifts from 0.1 on.
const moves = 0.01

// TestPagesInBrowser loads pages: no errors in the console, no shift of the layout, enough
// contrast in both colors, and a name for each control.
func TestPagesInBrowser(t *testing.T) {
	tab, url := open(t)
	found := pagetest.Listen(tab)
	pagetest.Do(t, tab, chromedp.EmulateViewport(1280, 900))
	for _, name := range drawn(t) {
		pagetest.Do(t, tab, chromedp.Navigate(url+name))
		if sum := pagetest.Value[float64](t, tab, shifts); sum > moves {
			t.Errorf("%s: the layout shifts by %g", name, sum)
		}
		for _, theme := range []string{"light", "dark"} {
			pagetest.Value[string](t, tab, `document.documentElement.dataset.theme = "`+theme+`"`)
			if low := pagetest.Value[[]string](t, tab, pagetest.Contrasts); len(low) > 0 {
				t.Errorf("%s, %s: too little contrast: %q", name, theme, low)
			}
		}
		nameless := pagetest.Value[int](t, tab, pagetest.Nameless)
		if nameless > 0 {
			t.Errorf("%s: %d controls or pictures have no name", name, nameless)
		}
		if all := found.Take(); len(all) > 0 {
			t.Errorf("%s: errors in the console: %q", name, all)
		}
	}
}

// TestNarrowPages requires that pages are no wider than a telephone.
func TestNarrowPages(t *testing.T) {
	tab, url := open(t)
	pagetest.Do(t, tab, chromedp.EmulateViewport(360, 740))
	for _, name := range drawn(t) {
		pagetest.Do(t, tab, chromedp.Navigate(url+name))
		if wide := pagetest.Value[int](t, tab, `document.documentElement.scrollWidth`); wide > 360 {
			t.Errorf("%s is %d pixels wide", name, wide)
		}
	}
}

// TestWithoutJavaScript reads pages by their links alone.
func TestWithoutJavaScript(t *testing.T) {
	pages := http.FileServer(http.Dir(site(t)))
	tab, url := openWith(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "script-src 'none'")
		pages.ServeHTTP(w, r)
	}))
	pagetest.Do(t, tab, chromedp.Navigate(url), chromedp.WaitVisible("main h1"),
		chromedp.Click(`nav[aria-label="Pages"] summary`),
		chromedp.Click(`nav[aria-label="Pages"] details[open] a[href$="tutorial.html"]`),
		chromedp.WaitVisible(`[id="3-write-the-first-version"]`))
	where, err := chromedp.Run(tab, chromedp.Location())
	if err != nil || where != url+"guide/tutorial.html" {
		t.Error(where, err)
	}
	style, err := chromedp.Run(tab, chromedp.ComputedStyle("form.search"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range style {
		if p.Name == "visibility" && p.Value != "hidden" {
			t.Error("the page shows the search, which needs JavaScript")
		}
	}
}

// TestKeyboard does with the keyboard alone what a reader does: skip the menu, search, follow what
// is found, and change the colors.
func TestKeyboard(t *testing.T) {
	tab, url := open(t)
	pagetest.Do(t, tab, chromedp.Navigate(url+"guide/index.html"), chromedp.KeyEvent(kb.Tab))
	if got := pagetest.Value[string](t, tab, `document.activeElement.textContent`); got != "Skip to the content" {
		t.Errorf("the first key leads to %q", got)
	}
	pagetest.Do(t, tab, chromedp.KeyEvent(kb.Enter))
	if got := pagetest.Value[string](t, tab, `document.activeElement.id`); got != "content" {
		t.Errorf("the link to the content leads to %q", got)
	}
	pagetest.Do(t, tab, slash, chromedp.KeyEvent("property bag"), chromedp.WaitVisible("#found a"))
	if got := pagetest.Value[int](t, tab, `document.querySelectorAll("#found a").length`); got < 5 {
		t.Errorf("the search for %q finds %d pages", pagetest.Value[string](t, tab, `document.querySelector("input").value`), got)
	}
	pagetest.Do(t, tab, chromedp.KeyEvent(kb.ArrowDown))
	target := pagetest.Value[string](t, tab, `document.activeElement.href`)
	if !strings.HasPrefix(target, url) {
		t.Fatalf("the arrow leads to %q", target)
	}
	pagetest.Do(t, tab, chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible("main h1"))
	if where, err := chromedp.Run(tab, chromedp.Location()); err != nil || where != target {
		t.Errorf("the page is %s and not %s (%v)", where, target, err)
	}
	pagetest.Do(t, tab, slash, chromedp.KeyEvent("nothinghasthisword"), chromedp.WaitVisible("#found li"))
	if got := pagetest.Value[string](t, tab, `document.querySelector("#found").textContent`); got != "No page has all of these words." {
		t.Error(got)
	}
	before := pagetest.Value[string](t, tab, `getComputedStyle(document.body).backgroundColor`)
	pagetest.Do(t, tab, chromedp.KeyEvent(kb.Escape), chromedp.Focus(".theme"), chromedp.KeyEvent(kb.Enter))
	if after := pagetest.Value[string](t, tab, `getComputedStyle(document.body).backgroundColor`); after == before {
		t.Error("the button does not change the colors")
	}
	pagetest.Do(t, tab, chromedp.Reload(), chromedp.WaitVisible("main h1"))
	if after := pagetest.Value[string](t, tab, `getComputedStyle(document.body).backgroundColor`); after == before {
		t.Error("the next page has the old colors")
	}
}

// TestVersions goes to another version of the documentation and back.
func TestVersions(t *testing.T) {
	tab, url := open(t)
	pagetest.Do(t, tab, chromedp.Navigate(url+"guide/tutorial.html"),
		chromedp.Click(".versions summary"), chromedp.Click(`.versions a[href*="v0.0.1"]`), chromedp.WaitVisible("main h1"))
	if where, err := chromedp.Run(tab, chromedp.Location()); err != nil || where != url+"v0.0.1/" {
		t.Error(where, err)
	}
	pagetest.Do(t, tab, chromedp.Click(".versions summary"), chromedp.Click(`.versions li:first-child a`), chromedp.WaitVisible("main h1"))
	if where, err := chromedp.Run(tab, chromedp.Location()); err != nil || where != url {
		t.Error(where, err)
	}
}

// TestExampleInBrowser goes from the menu to the pages of the worked example. There it shows the
// sample in every version.
func TestExampleInBrowser(t *testing.T) {
	tab, url := open(t)
	found := pagetest.Listen(tab)
	pagetest.Do(t, tab, chromedp.EmulateViewport(1280, 900), chromedp.Navigate(url+"guide/index.html"), chromedp.Click(`nav a[href$="explorer/index.html"]`),
		chromedp.WaitVisible(`a[href="crm.html#Party"]`), chromedp.Click(`a[href="crm.html#Party"]`), chromedp.WaitVisible("table.grid tbody tr"))
	versions := pagetest.Value[int](t, tab, `new Promise((done) => {
		const part = document.querySelector(".objects"), [show, sample] = part.querySelectorAll("button");
		sample.click();
		show.click();
		const wait = () => {
			const all = part.querySelectorAll(".views textarea").length, message = part.querySelector("[role=status]").textContent;
			if (all || !message.startsWith("Loading")) done(all); else setTimeout(wait, 50);
		};
		wait();
	})`)
	if versions != 5 {
		t.Errorf("the sample is shown in %d versions", versions)
	}
	if all := found.Take(); len(all) > 0 {
		t.Errorf("errors in the console: %q", all)
	}
}
