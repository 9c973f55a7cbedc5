package loopback

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// Address is the only IP address that test clusters and test programs listen on.
const Address = "127.0.0.1"

// AnyPort is the address of a listener that takes a free port.
const AnyPort = Address + ":0"

// Free returns an address with a port that nothing listens on. Another program may take it before
// it is used.
func Free() (string, error) {
	listener, err := net.Listen("tcp4", AnyPort)
	if err != nil {
		return "", fmt.Errorf("find a port: %w", err)
	}
	return listener.Addr().String(), listener.Close()
}

// longest is how long a server on this machine may take to answer, however busy the machine is.
const longest = 30 * time.Second

// Get reads a URL. Any status but 200 is an error that includes the body, and so is an answer that
// is not complete after 30 s: a server that hangs accepts connections.
func Get(ctx context.Context, client *http.Client, url string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, longest, fmt.Errorf("no answer within %s", longest))
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("get %s: %s\n%s", url, response.Status, text)
	}
	return string(text), err
}
