package serving

import (
	"errors"
	"strconv"
	"sync"

	"github.com/stratakube/strata/operator/plugin/contract"
)

// instance is a running implementation.
type instance struct {
	of       contract.ID
	handlers map[string]contract.Handler
	closer   func() error
}

// firstInstance is the instance of calls without a header.
const firstInstance = "1"

type instances struct {
	mu   sync.RWMutex
	byID map[string]instance
}

func (i *instances) add(added instance) (id string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.byID == nil {
		i.byID = map[string]instance{}
	}
	id = strconv.Itoa(len(i.byID) + 1)
	i.byID[id] = added
	return id
}

func (i *instances) find(id string) (instance, bool) {
	i.mu.RLock()
	defer i.mu.RUnlock()
	found, ok := i.byID[id]
	return found, ok
}

func (i *instances) close() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	var errs []error
	for _, instance := range i.byID {
		if instance.closer != nil {
			errs = append(errs, instance.closer())
		}
	}
	i.byID = nil
	return errors.Join(errs...)
}
