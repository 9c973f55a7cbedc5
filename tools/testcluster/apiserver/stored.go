package apiserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
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

// StoreAll does what Store does with many values by their keys, in transactions. The values of a
// transaction have one resource version, so that a list may have some of them without the others.
// Wait until a list has all before clients read or watch. After an error, etcd may hold some.
func (c *Cluster) StoreAll(ctx context.Context, values map[string][]byte) error {
	type operation struct {
		Put entry `json:"requestPut"`
	}
	var transaction struct {
		Operations []operation `json:"success"`
	}
	size := 0
	flush := func() error {
		if len(transaction.Operations) == 0 {
			return nil
		}
		if err := c.askEtcd(ctx, "txn", transaction, &struct{}{}); err != nil {
			return fmt.Errorf("write %d values to etcd: %w", len(transaction.Operations), err)
		}
		transaction.Operations, size = nil, 0
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if len(transaction.Operations) == mostOperations || size+len(values[key]) > mostBytes {
			if err := flush(); err != nil {
				return err
			}
		}
		transaction.Operations = append(transaction.Operations, operation{entry{[]byte(key), values[key]}})
		size += len(values[key])
	}
	return flush()
}

// What a transaction may have at most. By default, etcd refuses more than 128 operations, and more
// than 1.5 MiB.
const (
	mostOperations = 128
	mostBytes      = 1 << 20
)

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
