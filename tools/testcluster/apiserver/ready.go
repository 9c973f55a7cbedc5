package apiserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"k8s.io/client-go/rest"
)

// patience is how long servers may take to be ready. It is about those that hang; on a busy machine
// they take 10 s.
const patience = 3 * time.Minute

// awaitReady waits until the server is ready and has made the namespaces that every cluster has,
// which it does after it says that it is ready.
func (c *Cluster) awaitReady(ctx context.Context) error {
	client, err := rest.HTTPClientFor(c.Config)
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("not ready after %s", patience))
	defer cancel()
	for _, path := range []string{"/readyz", "/api/v1/namespaces/default", "/api/v1/namespaces/kube-system"} {
		for err = get(ctx, client, c.Config.Host+path); err != nil; err = get(ctx, client, c.Config.Host+path) {
			if useless := c.pause(ctx); useless != nil {
				return useless
			}
		}
	}
	return nil
}

// pause waits a little. It is an error when waiting is of no use any more.
func (c *Cluster) pause(ctx context.Context) error {
	little, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if err := c.Ended(little); err != nil {
		return err
	}
	cause := context.Cause(ctx)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		cause = fmt.Errorf("%w\n%s", cause, c.server.Said())
	}
	return cause
}

func get(ctx context.Context, client *http.Client, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("get %s: %s\n%s", url, response.Status, text)
	}
	return err
}
