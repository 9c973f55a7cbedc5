package apiserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
)

// Stored is what etcd holds at a key, such as /registry/example.com/things/default/one, past the
// server. It is nil where etcd holds nothing.
func (c *Cluster) Stored(ctx context.Context, key string) ([]byte, error) {
	var found struct {
		Entries []entry `json:"kvs"`
	}
	if err := c.askEtcd(ctx, "range", entry{Key: []byte(key)}, &found); err != nil {
		return nil, fmt.Errorf("read %s from etcd: %w", key, err)
	}
	if len(found.Entries) == 0 {
		return nil, nil
	}
	return found.Entries[0].Value, nil
}

// Store makes etcd hold a value at a key, past the server and its validation. Who watches sees it.
func (c *Cluster) Store(ctx context.Context, key string, value []byte) error {
	if err := c.askEtcd(ctx, "put", entry{[]byte(key), value}, &struct{}{}); err != nil {
		return fmt.Errorf("write %s to etcd: %w", key, err)
	}
	return nil
}

type entry struct {
	Key   []byte `json:"key,omitempty"`
	Value []byte `json:"value,omitempty"`
}

// askEtcd calls etcd's gateway, which speaks JSON. A client for its gRPC would require more than
// all of this module does.
func (c *Cluster) askEtcd(ctx context.Context, verb string, question, answer any) error {
	body, err := json.Marshal(question)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://etcd/v3/kv/"+verb, bytes.NewReader(body))
	if err != nil {
		return err
	}
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", c.file(clientSocket))
	}}
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", response.Status, text)
	}
	return json.Unmarshal(text, answer)
}
