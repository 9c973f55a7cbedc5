package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// api is the external API.
type api struct {
	endpoint, parent string
	http             *http.Client
}

func newAPI(endpoint, parent string) *api {
	transport := &http.Transport{MaxIdleConnsPerHost: 16}
	return &api{endpoint, parent, &http.Client{Transport: transport, Timeout: time.Minute}}
}

// most is how many bytes an answer may have.
const most = 4 << 20

// call sends a request, and returns its answer. That there is no such resource is no error.
func (a *api) call(ctx context.Context, method, id, version string, body []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, a.endpoint+id+"?api-version="+version, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("call external API: %w", err)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := a.http.Do(r)
	if err != nil {
		return nil, fmt.Errorf("call external API: %w", err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, most))
	if err != nil {
		return nil, fmt.Errorf("call external API: %w", err)
	}
	if answer.StatusCode >= 300 && answer.StatusCode != http.StatusNotFound {
		return nil, fmt.Errorf("call external API: %s %s: %s: %s", method, id, answer.Status, text)
	}
	return text, nil
}
