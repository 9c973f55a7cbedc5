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

// bound is for how many credentials clients are kept, with their tokens.
const bound = 200

// Clients keeps a client for each credential that is in use. It may be used at the same time.
type Clients struct {
	config  *config.Config
	options rest.Options
	mu      sync.Mutex
	known   map[digest]*list.Element
	recent  *list.List // of entries, the last used first
}

type digest [sha256.Size]byte

type entry struct {
	of     digest
	client *rest.Client
}

// NewClients keeps none yet.
func NewClients(c *config.Config, options rest.Options) *Clients {
	if options.Transport == nil {
		options.Transport = rest.Transport()
	}
	return &Clients{config: c, options: options, known: map[digest]*list.Element{}, recent: list.New()}
}

// For is the client for the values of a Secret; without values, for the plugin's own credentials.
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

// Close ends connections that are idle.
func (c *Clients) Close() error {
	if transport, ok := c.options.Transport.(*http.Client); ok {
		transport.CloseIdleConnections()
	}
	return nil
}

// digestOf distinguishes credentials without storing them.
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
