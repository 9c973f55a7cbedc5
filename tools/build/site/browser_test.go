package site

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/stratakube/strata/tools/build/browser"
	"github.com/stratakube/strata/tools/build/browser/program"
)

// ctx is the context of builds that all tests share.
var ctx = context.Background()

// patience is how long steps may take at most, so that a test whose page lacks something ends.
const patience = 2 * time.Minute

// open starts a browser, and serves the site on loopback.
func open(t *testing.T) (tab context.Context, url string) {
	t.Helper()
	return openWith(t, http.FileServer(http.Dir(site(t))))
}

func openWith(t *testing.T, pages http.Handler) (tab context.Context, url string) {
	t.Helper()
	server := httptest.NewServer(pages)
	t.Cleanup(server.Close)
	tab, end, err := browser.Start(t.Context())
	if errors.Is(err, program.ErrMissing) {
		t.Skip("needs Chromium: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	return tab, server.URL + "/"
}

// do runs steps in the tab.
func do(t *testing.T, tab context.Context, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	limited, end := context.WithTimeout(tab, patience)
	defer end()
	if err := chromedp.Do(limited, steps...); err != nil {
		t.Fatal(err)
	}
}

// slash presses the key of the search as a keyboard does: the page can refuse that it is typed.
func slash(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
	return cdp.Call(ctx, target, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kb.KeyDown, Key: "/", Code: "Slash", Text: "/"})
}

// value evaluates an expression in the page.
func value[T any](t *testing.T, tab context.Context, expression string) T {
	t.Helper()
	got, err := chromedp.Run(tab, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// names returns the pages of the site of one version.
func names(t *testing.T) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(site(t), func(file string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == "v0.0.1" {
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

// faults collects what the console shows as errors, and exceptions.
type faults struct {
	mu  sync.Mutex
	all []string
}

func (f *faults) add(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all, text)
}

func (f *faults) take() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := f.all
	f.all = nil
	return all
}

// listen collects the errors of all pages that the tab loads.
func listen(tab context.Context) *faults {
	f := &faults{}
	entries, exceptions, calls := chromedp.Events(tab, log.EntryAdded), chromedp.Events(tab, runtime.ExceptionThrown), chromedp.Console(tab)
	go func() {
		for e, err := range entries {
			if err == nil && e.Entry != nil && e.Entry.Level == "error" {
				f.add(e.Entry.Text)
			}
		}
	}()
	go func() {
		for e, err := range exceptions {
			if err == nil && e.ExceptionDetails != nil {
				f.add(e.ExceptionDetails.Text)
			}
		}
	}()
	go func() {
		for m, err := range calls {
			if err == nil && (m.Type == "error" || m.Type == "warning") {
				f.add(m.Text)
			}
		}
	}()
	return f
}

// shifts returns how much the layout of the page moved after it was shown, once all has been
// loaded.
const shifts = `new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((l) => { for (const e of l.getEntries()) sum += e.value; }).observe({type: "layout-shift", buffered: true});
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(sum), 0)));
})`

// contrasts returns the texts of the page whose contrast with what is behind them is below that of
// WCAG 2, level AA.
const contrasts = `(() => {
  const parse = (c) => (c.match(/[\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] > 0) return c; } return [255, 255, 255]; };
  const low = new Set();
  for (const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); walk.nextNode();) {
    const e = walk.currentNode.parentElement, s = getComputedStyle(e);
    if (!walk.currentNode.data.trim() || !e.getClientRects().length || s.visibility === "hidden") continue;
    const [a, b] = [light(parse(s.color)), light(behind(e))].sort((x, y) => y - x);
    const large = parseFloat(s.fontSize) >= 24 || (parseFloat(s.fontSize) >= 18.66 && s.fontWeight >= 700);
    if ((a + 0.05) / (b + 0.05) < (large ? 3 : 4.5)) low.add(walk.currentNode.data.trim().slice(0, 40));
  }
  return [...low];
})()`

// moves is the shift of a layout above which TestPagesInBrowser fails. The columns of a table may
// become wider by some pixels while its last rows arrive. Readers see shifts from 0.1 on.
const moves = 0.01

// TestPagesInBrowser loads every page: no errors in the console, no shift of the layout, enough
// contrast in both colors, and a name for each control.
func TestPagesInBrowser(t *testing.T) {
	tab, url := open(t)
	found := listen(tab)
	do(t, tab, chromedp.EmulateViewport(1280, 900))
	for _, name := range names(t) {
		do(t, tab, chromedp.Navigate(url+name))
		if sum := value[float64](t, tab, shifts); sum > moves {
			t.Errorf("%s: the layout shifts by %g", name, sum)
		}
		for _, theme := range []string{"light", "dark"} {
			value[string](t, tab, `document.documentElement.dataset.theme = "`+theme+`"`)
			if low := value[[]string](t, tab, contrasts); len(low) > 0 {
				t.Errorf("%s, %s: too little contrast: %q", name, theme, low)
			}
		}
		nameless := value[int](t, tab, `[...document.querySelectorAll("a, button, summary, input, img")].filter((e) =>
			!(e.textContent.trim() || e.ariaLabel || e.alt || e.querySelector("img[alt]"))).length`)
		if nameless > 0 {
			t.Errorf("%s: %d controls or pictures have no name", name, nameless)
		}
		if all := found.take(); len(all) > 0 {
			t.Errorf("%s: errors in the console: %q", name, all)
		}
	}
}

// TestNarrowPages requires that no page is wider than a telephone.
func TestNarrowPages(t *testing.T) {
	tab, url := open(t)
	do(t, tab, chromedp.EmulateViewport(360, 740))
	for _, name := range names(t) {
		do(t, tab, chromedp.Navigate(url+name))
		if wide := value[int](t, tab, `document.documentElement.scrollWidth`); wide > 360 {
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
	do(t, tab, chromedp.Navigate(url), chromedp.WaitVisible("main h1"),
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
	do(t, tab, chromedp.Navigate(url+"guide/index.html"), chromedp.KeyEvent(kb.Tab))
	if got := value[string](t, tab, `document.activeElement.textContent`); got != "Skip to the content" {
		t.Errorf("the first key leads to %q", got)
	}
	do(t, tab, chromedp.KeyEvent(kb.Enter))
	if got := value[string](t, tab, `document.activeElement.id`); got != "content" {
		t.Errorf("the link to the content leads to %q", got)
	}
	do(t, tab, slash, chromedp.KeyEvent("property bag"), chromedp.WaitVisible("#found a"))
	if got := value[int](t, tab, `document.querySelectorAll("#found a").length`); got < 5 {
		t.Errorf("the search for %q finds %d pages", value[string](t, tab, `document.querySelector("input").value`), got)
	}
	do(t, tab, chromedp.KeyEvent(kb.ArrowDown))
	target := value[string](t, tab, `document.activeElement.href`)
	if !strings.HasPrefix(target, url) {
		t.Fatalf("the arrow leads to %q", target)
	}
	do(t, tab, chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible("main h1"))
	if where, err := chromedp.Run(tab, chromedp.Location()); err != nil || where != target {
		t.Errorf("the page is %s and not %s (%v)", where, target, err)
	}
	do(t, tab, slash, chromedp.KeyEvent("nothinghasthisword"), chromedp.WaitVisible("#found li"))
	if got := value[string](t, tab, `document.querySelector("#found").textContent`); got != "No page has all of these words." {
		t.Error(got)
	}
	before := value[string](t, tab, `getComputedStyle(document.body).backgroundColor`)
	do(t, tab, chromedp.KeyEvent(kb.Escape), chromedp.Focus(".theme"), chromedp.KeyEvent(kb.Enter))
	if after := value[string](t, tab, `getComputedStyle(document.body).backgroundColor`); after == before {
		t.Error("the button does not change the colors")
	}
	do(t, tab, chromedp.Reload(), chromedp.WaitVisible("main h1"))
	if after := value[string](t, tab, `getComputedStyle(document.body).backgroundColor`); after == before {
		t.Error("the next page has the old colors")
	}
}

// TestVersions goes to another version of the documentation and back.
func TestVersions(t *testing.T) {
	tab, url := open(t)
	do(t, tab, chromedp.Navigate(url+"guide/tutorial.html"),
		chromedp.Click(".versions summary"), chromedp.Click(`.versions a[href*="v0.0.1"]`), chromedp.WaitVisible("main h1"))
	if where, err := chromedp.Run(tab, chromedp.Location()); err != nil || where != url+"v0.0.1/" {
		t.Error(where, err)
	}
	do(t, tab, chromedp.Click(".versions summary"), chromedp.Click(`.versions li:first-child a`), chromedp.WaitVisible("main h1"))
	if where, err := chromedp.Run(tab, chromedp.Location()); err != nil || where != url {
		t.Error(where, err)
	}
}
