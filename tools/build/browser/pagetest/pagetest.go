package pagetest

import (
	"context"
	"errors"
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

// patience is how long steps may take at most, so that a test whose page lacks something ends.
const patience = 2 * time.Minute

// Open starts a browser. Without Chromium, it skips the test.
func Open(t *testing.T) (tab context.Context) {
	t.Helper()
	tab, end, err := browser.Start(t.Context())
	if errors.Is(err, program.ErrMissing) {
		t.Skip("needs Chromium: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	return tab
}

// Do runs steps in the tab.
func Do(t *testing.T, tab context.Context, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	limited, end := context.WithTimeout(tab, patience)
	defer end()
	if err := chromedp.Do(limited, steps...); err != nil {
		t.Fatal(err)
	}
}

// Value evaluates an expression in the page.
func Value[T any](t *testing.T, tab context.Context, expression string) T {
	t.Helper()
	got, err := chromedp.Run(tab, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// Press presses the key of a character as a keyboard does: the page can refuse that it is typed.
func Press(key, code string) chromedp.Action[chromedp.Void] {
	return chromedp.Action[chromedp.Void](func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		return cdp.Call(ctx, target, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kb.KeyDown, Key: key, Code: code, Text: key})
	})
}

// Faults collects what the console shows as errors, and exceptions.
type Faults struct {
	mu  sync.Mutex
	all []string
}

func (f *Faults) add(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all, text)
}

// Take returns the faults since the last call.
func (f *Faults) Take() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := f.all
	f.all = nil
	return all
}

// Listen collects the errors of all pages that the tab loads.
func Listen(tab context.Context) *Faults {
	f := &Faults{}
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

// Contrasts is an expression for the texts of the page whose contrast with what is behind them is
// below that of WCAG 2, level AA.
const Contrasts = `(() => {
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

// Nameless is an expression for the number of controls and pictures without a name.
const Nameless = `[...document.querySelectorAll("a, button, summary, input, select, img")].filter((e) =>
  !(e.textContent.trim() || e.ariaLabel || e.alt || e.labels?.length || e.querySelector("img[alt]"))).length`
