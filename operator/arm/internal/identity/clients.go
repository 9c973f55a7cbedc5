package identity

import (
	"container/list"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"net/http"
	"slices"
	"sync"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"

	"github.com/stratakube/strata/operator/arm/internal/config"
	"github.com/stratakube/strata/operator/arm/internal/rest"
)

// bound is the maximum number of stored clients, with their tokens.
const bound = 200

// Clients stores a client for each credential in use. It is safe for concurrent use.
type Clients struct {
	config  *config.Config
	options rest.Options
	mu      sync.Mutex
	known   map[digest]*list.Element
	recent  *list.List // of entries, the most recently used first
}

type digest [sha256.Size]byte

type entry struct {
	of     digest
	client *rest.Client
}

// NewClients returns Clients without a client.
func NewClients(c *config.Config, options rest.Options) *Clients {
	if options.Transport == nil {
		options.Transport = rest.Transport()
	}
	return &Clients{config: c, options: options, known: map[digest]*list.Element{}, recent: list.New()}
}

// For returns the client for the values of a Secret. Without values it returns that for the
// plugin's own credentials.
func (c *Clients) For(values map[string][]byte) (*rest.Client, error) {
	key := digestOf(values)
	c.mu.Lock()
	defer c.mu.Unlock()
	if found, ok := c.known[key]; ok {
		c.recent.MoveToFront(found)
		return found.Value.(entry).client, nil
	}
	client, err := c.open(values)
	if err != nil {
		return nil, err
	}
	c.known[key] = c.recent.PushFront(entry{key, client})
	if c.recent.Len() > bound {
		oldest := c.recent.Remove(c.recent.Back()).(entry)
		delete(c.known, oldest.of)
	}
	return client, nil
}

func (c *Clients) open(values map[string][]byte) (*rest.Client, error) {
	credential, err := c.credential(values)
	if err != nil {
		return nil, err
	}
	return rest.New(c.config, credential, c.options)
}

func (c *Clients) credential(values map[string][]byte) (azcore.TokenCredential, error) {
	options := azcore.ClientOptions{Transport: c.options.Transport}
	switch {
	case len(values) > 0:
		return FromValues(values, c.config, options)
	case c.config.Anonymous:
		return nil, nil
	default:
		return Own(c.config, options)
	}
}

// Close closes idle connections.
func (c *Clients) Close() error {
	if transport, ok := c.options.Transport.(*http.Client); ok {
		transport.CloseIdleConnections()
	}
	return nil
}

// digestOf returns a digest of credentials, by which they are distinguished without storing them.
func digestOf(values map[string][]byte) (sum digest) {
	h := sha256.New()
	write := func(data []byte) {
		_ = binary.Write(h, binary.BigEndian, uint64(len(data)))
		h.Write(data)
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		write([]byte(key))
		write(values[key])
	}
	h.Sum(sum[:0])
	return sum
}
