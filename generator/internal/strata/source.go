package strata

import (
	"context"
	"fmt"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/arm"
)

// readers is the table of front-ends: each takes the source that it knows.
var readers = []func(context.Context, config.Source, func(done, total int)) (*source.Result, error){
	readARM,
}

// readSource reads a source with the front-end that knows it.
func readSource(ctx context.Context, s config.Source, progress func(done, total int)) (*source.Result, error) {
	for _, read := range readers {
		if result, err := read(ctx, s, progress); result != nil || err != nil {
			return result, err
		}
	}
	return nil, fmt.Errorf("no front-end reads this source")
}

func readARM(ctx context.Context, s config.Source, progress func(done, total int)) (*source.Result, error) {
	if s.ARM == nil {
		return nil, nil
	}
	return arm.Read(ctx, arm.Options{Root: s.ARM.Root, Include: s.ARM.Include, Exclude: s.ARM.Exclude, Progress: progress})
}
