package browser

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/stratakube/strata/tools/build/browser/program"
)

// start is how long the browser may take until it answers.
const start = time.Minute

// Start starts a browser without a window and with an empty profile, or returns program.ErrMissing.
// Actions of chromedp run in the context that it returns. The function ends the browser and removes
// its files.
func Start(ctx context.Context) (context.Context, func(), error) {
	file, err := program.Find()
	if err != nil {
		return nil, nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(file),
		chromedp.WSURLReadTimeout(start),
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-domain-reliability", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
	)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.Flag("no-sandbox", true)) // Chromium does not start as root otherwise
	}
	allocated, end := chromedp.NewExecAllocator(ctx, options...)
	tab, leave := chromedp.NewContext(allocated)
	if err := chromedp.Do(tab); err != nil {
		leave()
		end()
		return nil, nil, fmt.Errorf("start %s: %w", file, err)
	}
	return tab, func() { leave(); end() }, nil
}
