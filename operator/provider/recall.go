package provider

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// recall stores the data of Secrets with credentials as they were last read. The limit maxSecrets
// applies to each namespace, so that the Secrets of one namespace do not displace those of
// another. Its zero value is empty and ready.
type recall struct {
	mu         sync.Mutex
	namespaces map[string]*remembered
	uses       uint64
}

// remembered has the stored Secrets of one namespace.
type remembered struct {
	secrets map[string]secret
	used    uint64
}

// secret is a Secret as it was last read.
type secret struct {
	made time.Time
	data map[string][]byte
	used uint64
}

// Limits of recall. Beyond them, it removes the least recently used Secret or namespace. It does
// not store larger Secrets: credentials take some KiB.
const (
	maxNamespaces = 10000
	maxSecrets    = 100 // in each namespace
	maxSecret     = 64 << 10
)

// put stores the data of a Secret, unless it is larger than maxSecret.
func (r *recall) put(key client.ObjectKey, read secret) {
	r.mu.Lock()
	defer r.mu.Unlock()
	of := r.use(key.Namespace)
	if delete(of.secrets, key.Name); sizeOf(read.data) > maxSecret {
		return
	}
	if len(of.secrets) >= maxSecrets {
		delete(of.secrets, longestAgo(of.secrets, func(s secret) uint64 { return s.used }))
	}
	read.used = r.uses
	of.secrets[key.Name] = read
}

// get returns the stored data of a Secret, and whether there is any.
func (r *recall) get(key client.ObjectKey) (secret, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.namespaces[key.Namespace] == nil {
		return secret{}, false
	}
	of := r.use(key.Namespace)
	known, has := of.secrets[key.Name]
	if known.used = r.uses; has {
		of.secrets[key.Name] = known
	}
	return known, has
}

// use returns the Secrets of a namespace, and marks it as the most recently used one.
func (r *recall) use(namespace string) *remembered {
	r.uses++
	of := r.namespaces[namespace]
	if of == nil {
		if len(r.namespaces) >= maxNamespaces {
			delete(r.namespaces, longestAgo(r.namespaces, func(of *remembered) uint64 { return of.used }))
		}
		if of = (&remembered{secrets: map[string]secret{}}); r.namespaces == nil {
			r.namespaces = map[string]*remembered{}
		}
		r.namespaces[namespace] = of
	}
	of.used = r.uses
	return of
}

// longestAgo returns the key of the least recently used value.
func longestAgo[V any](all map[string]V, used func(V) uint64) string {
	return slices.MinFunc(slices.Collect(maps.Keys(all)), func(a, b string) int { return cmp.Compare(used(all[a]), used(all[b])) })
}

func sizeOf(data map[string][]byte) (size int) {
	for key, value := range data {
		size += len(key) + len(value)
	}
	return size
}
