package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// download brings one archive into a partial file, in as many requests as it takes.
type download struct {
	url    *url.URL
	client *http.Client
	limits Limits
	part   *partial
	report func(line string)

	resumed bool // whether the archive is made of more than one answer
}

// run downloads the whole archive to the partial file. After an error, the partial file stays for
// the next run, unless the server's answer was refused.
func (d *download) run(ctx context.Context) error {
	d.report("from " + public(d.url))
	waits := backoff.NewExponentialBackOff()
	waits.InitialInterval = d.limits.Pause
	_, err := backoff.Retry(ctx, func() (struct{}, error) { return struct{}{}, d.attempt(ctx) },
		backoff.WithBackOff(waits),
		backoff.WithMaxTries(uint(d.limits.Attempts)),
		backoff.WithMaxElapsedTime(0),
		backoff.WithNotify(func(err error, wait time.Duration) {
			d.report(fmt.Sprintf("%v; again in %s", err, wait.Round(time.Millisecond)))
		}))
	switch {
	case err == nil:
		return nil
	case isRefusal(err):
		err = errors.Join(err, d.part.remove())
	case ctx.Err() == nil:
		err = hint(err, "where the host cannot be reached, set %s to a folder or an https mirror", MirrorVariable)
	}
	return fmt.Errorf("download %s: %w", public(d.url), err)
}

// attempt makes one request. An error that another attempt cannot mend is permanent.
func (d *download) attempt(ctx context.Context) error {
	watched, pulse := startPulse(ctx, d.limits.Stall, d.limits.StallBytes)
	defer pulse.stop()
	err := d.request(watched, pulse)
	if cause := context.Cause(watched); err != nil && cause != nil && ctx.Err() == nil {
		err = cause
	}
	if _, local := errors.AsType[*fs.PathError](err); local || isRefusal(err) || ctx.Err() != nil {
		return backoff.Permanent(err)
	}
	return err
}

func (d *download) request(ctx context.Context, pulse *pulse) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, d.url.String(), nil)
	if err != nil {
		return err
	}
	request.Header.Set("Accept-Encoding", "identity") // the bytes as they are stored
	from := d.part.size()
	if from > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", from))
		request.Header.Set("If-Range", d.part.metadata.Validator)
	}
	answer, err := d.client.Do(request)
	if err != nil {
		return withoutURL(err)
	}
	defer answer.Body.Close()
	return d.take(answer, from, pulse)
}

// take brings the answer's bytes into the partial file, which holds from bytes.
func (d *download) take(answer *http.Response, from int64, pulse *pulse) error {
	switch {
	case answer.StatusCode == http.StatusOK:
		return d.takeWhole(answer, pulse)
	case answer.StatusCode == http.StatusPartialContent && from > 0:
		return d.takeRest(answer, from, pulse)
	case answer.StatusCode == http.StatusRequestedRangeNotSatisfiable && from > 0:
		if whole, ok := contentRange(answer.Header, "bytes */%d"); ok && whole == from {
			d.resumed = true
			return nil
		}
		return errors.Join(errRestart, d.part.remove())
	}
	return statusError(answer)
}

var errRestart = errors.New("the server's answer does not continue what has come")

func (d *download) takeWhole(answer *http.Response, pulse *pulse) error {
	if encoding := answer.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return refuse("the server encodes the archive again (%s)", encoding)
	}
	if answer.ContentLength > d.limits.ArchiveBytes {
		return tooLarge(d.limits.ArchiveBytes)
	}
	d.resumed = false
	if err := d.part.restart(answer.Header); err != nil {
		return err
	}
	return d.part.grow(d.metered(answer, 0, pulse), d.limits.ArchiveBytes)
}

func (d *download) takeRest(answer *http.Response, from int64, pulse *pulse) error {
	if start, ok := contentRange(answer.Header, "bytes %d-"); !ok || start != from {
		return errors.Join(errRestart, d.part.remove())
	}
	d.resumed = true
	d.report(fmt.Sprintf("resumed at %s", size(from)))
	return d.part.grow(d.metered(answer, from, pulse), d.limits.ArchiveBytes)
}

func (d *download) metered(answer *http.Response, from int64, pulse *pulse) io.Reader {
	whole := int64(-1)
	if answer.ContentLength >= 0 {
		whole = from + answer.ContentLength
	}
	return &meter{in: pulse.of(answer.Body), came: from, whole: whole, last: time.Now(), report: d.report}
}

func contentRange(header http.Header, form string) (n int64, ok bool) {
	_, err := fmt.Sscanf(header.Get("Content-Range"), form, &n)
	return n, err == nil
}

// statusError returns the error for a status, and distinguishes errors that can be retried. For
// those it waits as long as the server asks, but at most a minute.
func statusError(answer *http.Response) error {
	err := fmt.Errorf("the server answers %s", answer.Status)
	switch code := answer.StatusCode; {
	case code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable:
		if wait, bad := strconv.Atoi(answer.Header.Get("Retry-After")); bad == nil && wait > 0 {
			return fmt.Errorf("%w: %w", err, backoff.RetryAfter(min(wait, 60)))
		}
		return err
	case code >= 500 || code == http.StatusRequestTimeout:
		return err
	}
	return backoff.Permanent(err)
}

// withoutURL takes off the address that net/http puts before its errors: after a
// redirect it can hold a token.
func withoutURL(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}
