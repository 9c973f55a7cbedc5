package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
)

// Variables of workflows that may ask for a token of their identity.
const (
	requestVariable = "ACTIONS_ID_TOKEN_REQUEST_URL"
	bearerVariable  = "ACTIONS_ID_TOKEN_REQUEST_TOKEN"
)

// audience is for whom a token is.
const audience = "sigstore"

// identityToken returns the token of SIGSTORE_ID_TOKEN, or that of the workflow in which the
// program runs; empty if there is neither.
func identityToken(ctx context.Context) (string, error) {
	if token := os.Getenv("SIGSTORE_ID_TOKEN"); token != "" {
		return token, nil
	}
	address := os.Getenv(requestVariable)
	if address == "" {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"&audience="+url.QueryEscape(audience), nil)
	if err != nil {
		return "", fmt.Errorf("ask for a token of the workflow: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv(bearerVariable))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", fmt.Errorf("ask for a token of the workflow: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return "", fmt.Errorf("ask for a token of the workflow: %w", err)
	}
	var answer struct{ Value string }
	if response.StatusCode != http.StatusOK || json.Unmarshal(body, &answer) != nil || answer.Value == "" {
		return "", fmt.Errorf("ask for a token of the workflow: the answer has the status %d and no token", response.StatusCode)
	}
	return answer.Value, nil
}
