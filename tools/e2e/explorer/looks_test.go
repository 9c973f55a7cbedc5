package explorer

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/stratakube/strata/tools/build/browser/pagetest"
)

// picture returns a screenshot of what a tab shows.
func picture(t *testing.T, tab context.Context) image.Image {
	t.Helper()
	text, err := chromedp.Run(tab, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	out, err := png.Decode(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// differing returns the share of pixels that differ between two pictures.
func differing(a, b image.Image) float64 {
	if a.Bounds() != b.Bounds() {
		return 1
	}
	n, box := 0, a.Bounds()
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			if color.RGBAModel.Convert(a.At(x, y)) != color.RGBAModel.Convert(b.At(x, y)) {
				n++
			}
		}
	}
	return float64(n) / float64(box.Dx()*box.Dy())
}

// painted is a cell of the table that nothing covers: a point in its padding, and its background.
type painted struct {
	State string
	X, Y  int
	Color [3]uint8
}

// cells is an expression for one visible cell of each state.
const cells = `Object.values(Object.fromEntries([...document.querySelectorAll("table.grid td")].flatMap((td) => {
	const box = td.getBoundingClientRect(), x = Math.ceil(box.x) + 2, y = Math.ceil(box.y) + 2;
	if (document.elementFromPoint(x, y) !== td) return [];
	return [[td.className, {State: td.className, X: x, Y: y, Color: getComputedStyle(td).backgroundColor.match(/\d+/g).slice(0, 3).map(Number)}]];
})))`

// misplaced is an expression for what is wrong with the places of the parts of the page. It knows
// no sizes of texts, which depend on fonts.
const misplaced = `(() => {
	const box = (s) => document.querySelector(s).getBoundingClientRect(), out = [];
	const [head, chain, table, aside, sample, object] = ["header", ".chain", ".scroll", "aside", "[aria-label=Sample]", ".objects"].map(box);
	if (head.bottom > chain.top + 1) out.push("the head covers the chain");
	if (chain.bottom > table.top + 1) out.push("the chain covers the table");
	if (innerWidth > 960 ? table.right > aside.left : table.bottom > aside.top) out.push("the table covers the details");
	if (aside.bottom > sample.top + 1) out.push("the details cover the sample");
	if (Math.max(table.bottom, sample.bottom) > object.top + 1) out.push("the object is covered");
	if (document.documentElement.scrollWidth > innerWidth) out.push("the page is wider than the window");
	const columns = [...document.querySelectorAll("table.grid thead th")].map((th) => th.getBoundingClientRect());
	for (const tr of document.querySelectorAll("table.grid tbody tr"))
		[...tr.children].forEach((td, i) => {
			const b = td.getBoundingClientRect();
			if (i && (Math.abs(b.left - columns[i].left) > 1 || Math.abs(b.right - columns[i].right) > 1)) out.push("a cell of " + tr.children[0].title + " is not in its column");
			if (td.scrollWidth > td.clientWidth + 1) out.push("a cell of " + tr.children[0].title + " is cut");
		});
	for (const text of document.querySelectorAll(".chain text")) {
		const b = text.getBoundingClientRect(), r = text.previousElementSibling.getBoundingClientRect();
		if (b.left < r.left || b.right > r.right) out.push(text.textContent + " is wider than its box");
	}
	return [...new Set(out)];
})()`

// TestPictures compares screenshots with each other and with the colors of cells. No picture is
// committed: fonts and browsers of machines differ.
func TestPictures(t *testing.T) {
	tab, url := open(t, workedExample(t))
	load := func(colors string) image.Image {
		t.Helper()
		pagetest.Do(t, tab, inColors(colors), chromedp.Navigate("about:blank"), chromedp.Navigate(url+"crm.html#Person/spec/properties/alphaKey"), chromedp.WaitVisible("aside dl"))
		return picture(t, tab)
	}
	pictures := map[string]image.Image{}
	for _, colors := range []string{"light", "dark"} {
		pictures[colors] = load(colors)
		if share := differing(pictures[colors], load(colors)); share > 0 {
			t.Errorf("%s: %.1f %% of the pixels differ when the page is loaded again", colors, 100*share)
		}
		seen := map[string]bool{}
		for _, cell := range pagetest.Value[[]painted](t, tab, cells) {
			seen[cell.State] = true
			got := color.RGBAModel.Convert(pictures[colors].At(cell.X, cell.Y)).(color.RGBA)
			if want := (color.RGBA{cell.Color[0], cell.Color[1], cell.Color[2], 255}); got != want {
				t.Errorf("%s: a cell of %s has the color %v and not %v", colors, cell.State, got, want)
			}
		}
		for _, state := range []string{"same", "added", "changed", "bag"} {
			if !seen[state] {
				t.Errorf("%s: no cell of %s is visible", colors, state)
			}
		}
		for _, width := range []int64{1400, 700} {
			pagetest.Do(t, tab, chromedp.EmulateViewport(width, 1000))
			if found := pagetest.Value[[]string](t, tab, misplaced); len(found) > 0 {
				t.Errorf("%s, %d pixels wide: %q", colors, width, found)
			}
		}
		pagetest.Do(t, tab, chromedp.EmulateViewport(1400, 1000))
	}
	if share := differing(pictures["light"], pictures["dark"]); share < 0.9 {
		t.Errorf("only %s of the pixels differ between light and dark", fmt.Sprintf("%.0f %%", 100*share))
	}
}
