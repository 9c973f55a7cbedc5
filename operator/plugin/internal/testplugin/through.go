package main

import (
	"context"
	"strings"
	"sync"

	"github.com/stratakube/strata/operator/plugin/host"
	depotv1 "github.com/stratakube/strata/operator/plugin/internal/depot/v1"
	depotv3 "github.com/stratakube/strata/operator/plugin/internal/depot/v3"
)

// others is the host of the plugins that this plugin uses: itself, as a second process.
var others = sync.OnceValues(func() (*host.Host, error) {
	return host.Open(host.Options{
		Plugins:  []host.Plugin{{Path: program, Args: []string{"-serve=depot.v3=example.com/inner"}}},
		Unlocked: true, Plain: true,
	})
})

// program is the path of the plugin that this plugin uses. The first call sets it.
var (
	program string
	once    sync.Once
)

// through sends what another plugin sends. The argument is the path of its program, and an item.
func through(ctx context.Context, argument string, size int64, send func(*depotv3.Piece) error) error {
	path, name, _ := strings.Cut(argument, " ")
	once.Do(func() { program = path })
	h, err := others()
	if err != nil {
		return err
	}
	inner, err := host.Get(ctx, h, depotv3.Version, "example.com/inner", nil)
	if err != nil {
		return err
	}
	return inner.Fetch(ctx, &depotv1.FetchRequest{Name: name, Size: size}, send)
}
