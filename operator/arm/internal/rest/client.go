package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	armpolicy "github.com/Azure/azure-sdk-for-go/sdk/azcore/arm/policy"
	armruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/arm/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"

	"github.com/stratakube/strata/operator/arm/internal/config"
	"github.com/stratakube/strata/operator/plugin/effect"
	provider "github.com/stratakube/strata/operator/plugin/provider/v2"
)

// The name and the version of the module in requests to ARM.
const module, version = "strata-arm", "v0.1.0"

// maxBody is the maximum size of an answer in bytes. Hosts accept messages of 16 MiB.
const maxBody = 8 << 20

// Options configure clients.
type Options struct {
	// Transport sends requests; Transport() if it is nil.
	Transport policy.Transporter
	// Retries is how often a request is repeated after transient errors. Callers that repeat
	// requests themselves set 0.
	Retries int32
	// Log receives a line for each request, without its body.
	Log *slog.Logger
}

// Client calls ARM with one credential. It is safe for concurrent use.
type Client struct {
	pipeline runtime.Pipeline
	base     *url.URL
	log      *slog.Logger
}

// New returns a client. Without a credential its calls have no token.
func New(c *config.Config, credential azcore.TokenCredential, o Options) (*Client, error) {
	options := policy.ClientOptions{
		Cloud:                           c.Cloud,
		Transport:                       o.Transport,
		Retry:                           policy.RetryOptions{MaxRetries: o.Retries, MaxRetryDelay: time.Minute},
		InsecureAllowCredentialWithHTTP: c.Endpoint.Scheme == "http", // of this machine; config allows no other
	}
	if o.Retries == 0 {
		options.Retry.MaxRetries = -1
	}
	if o.Transport == nil {
		options.Transport = Transport()
	}
	options.Transport = watched{options.Transport}
	client := &Client{base: c.Endpoint, log: o.Log}
	if client.log == nil {
		client.log = slog.Default()
	}
	if credential == nil {
		client.pipeline = runtime.NewPipeline(module, version, runtime.PipelineOptions{}, &options)
		return client, nil
	}
	var err error
	client.pipeline, err = armruntime.NewPipeline(module, version, credential, runtime.PipelineOptions{},
		&armpolicy.ClientOptions{ClientOptions: options, DisableRPRegistration: true})
	return client, err
}

// Transport returns a transport that does not follow redirections to another host, which would
// receive the token.
func Transport() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 32
	return &http.Client{Transport: transport, CheckRedirect: sameHost}
}

func sameHost(next *http.Request, before []*http.Request) error {
	if !sameOrigin(next.URL, before[0].URL) {
		return errors.New("redirected to another host")
	}
	if len(before) >= 5 {
		return errors.New("redirected five times")
	}
	return nil
}

// Request is a call. Path is escaped and has no query. URL, if set, is a whole URL from an answer
// of ARM.
type Request struct {
	Method      string
	Path        string
	Version     string // the api-version, for a path
	URL         *url.URL
	IfMatch     string
	IfNoneMatch string
	Body        []byte // JSON; nil for none
}

// Response is an answer, whatever its status.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// TransportError reports a call that got no answer.
type TransportError struct {
	Err error
	// Effect states whether the call can have changed something nevertheless.
	Effect provider.Effect
}

func (e *TransportError) Error() string { return "no answer: " + e.Err.Error() }

func (e *TransportError) Unwrap() error { return e.Err }

// SizeError reports an answer that is too large to be read.
type SizeError struct {
	Method string
	Effect provider.Effect
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("the answer to %s is larger than %d bytes", e.Method, maxBody)
}

// EffectOf returns whether a call for which Do returned an error can have changed something. It
// returns effect.None if Do sent no request.
func EffectOf(err error) provider.Effect {
	var silent *TransportError
	var size *SizeError
	switch {
	case errors.As(err, &silent):
		return silent.Effect
	case errors.As(err, &size):
		return size.Effect
	}
	return effect.None
}

// Resolve returns the URL that an answer names. A URL of another host is an error, since it must
// not receive the token.
func (c *Client) Resolve(text string) (*url.URL, error) {
	if len(text) > 8192 {
		return nil, fmt.Errorf("a URL has %d characters", len(text))
	}
	u, err := c.base.Parse(strings.TrimSpace(text))
	if err != nil {
		return nil, errors.New("it is no URL")
	}
	if !sameOrigin(u, c.base) || u.User != nil {
		return nil, fmt.Errorf("a URL of %s://%s is not one of the endpoint %s://%s", u.Scheme, u.Host, c.base.Scheme, c.base.Host)
	}
	return u, nil
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// Do makes a call. It returns an error only if there is no answer.
func (c *Client) Do(ctx context.Context, r Request) (*Response, error) {
	sent := new(atomic.Bool)
	req, err := c.request(context.WithValue(ctx, sentKey{}, sent), r)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	resp, err := c.pipeline.Do(req)
	if err != nil {
		c.log.DebugContext(ctx, "ARM did not answer", "method", r.Method, "path", req.Raw().URL.Path, "after", time.Since(began))
		return nil, &TransportError{withoutURL(err), effect.OfSilence(sent.Load())}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	c.log.DebugContext(ctx, "called ARM", "method", r.Method, "path", req.Raw().URL.Path, "version", r.Version,
		"status", resp.StatusCode, "after", time.Since(began), "request", resp.Header.Get("x-ms-request-id"))
	if err != nil {
		return nil, &TransportError{withoutURL(err), effect.OfStatus(resp.StatusCode)}
	}
	if len(body) > maxBody {
		return nil, &SizeError{r.Method, effect.OfStatus(resp.StatusCode)}
	}
	return &Response{Status: resp.StatusCode, Header: resp.Header, Body: bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))}, nil
}

func (c *Client) request(ctx context.Context, r Request) (*policy.Request, error) {
	target := r.URL
	if target == nil {
		u, err := url.Parse(strings.TrimSuffix(c.base.String(), "/") + r.Path)
		if err != nil {
			return nil, fmt.Errorf("address: %w", err)
		}
		u.RawQuery = url.Values{"api-version": {r.Version}}.Encode()
		target = u
	}
	req, err := runtime.NewRequest(ctx, r.Method, target.String())
	if err != nil {
		return nil, fmt.Errorf("address: %w", err)
	}
	runtime.SkipBodyDownload(req) // it has no limit
	header := req.Raw().Header
	header.Set("Accept", "application/json")
	set(header, "If-Match", r.IfMatch)
	set(header, "If-None-Match", r.IfNoneMatch)
	if r.Body != nil {
		return req, req.SetBody(streaming.NopCloser(bytes.NewReader(r.Body)), "application/json")
	}
	return req, nil
}

func set(h http.Header, name, value string) {
	if value != "" {
		h.Set(name, value)
	}
}

// withoutURL removes the URL from an error: queries of operations can contain signatures.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// IsTimeout reports whether an error is an expired deadline or another timeout.
func IsTimeout(err error) bool {
	var n net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &n) && n.Timeout()
}
