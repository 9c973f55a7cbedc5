package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Check converts an empty object of every version of every kind to the hub and back. It returns all
// errors, or nil if the engine works.
func Check(ctx context.Context, e Engine) error {
	var failed []error
	for _, kind := range e.Kinds() {
		for _, version := range kind.Versions {
			if version == kind.Hub {
				continue
			}
			failed = append(failed,
				checkPair(ctx, e, Pair{kind.GroupKind, version, kind.Hub}),
				checkPair(ctx, e, Pair{kind.GroupKind, kind.Hub, version}))
		}
	}
	return errors.Join(failed...)
}

func checkPair(ctx context.Context, e Engine, pair Pair) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("convert an empty %s: panic: %v", pair, r)
		}
	}()
	converter := e.Converter(pair)
	if converter == nil {
		return fmt.Errorf("convert an empty %s: there is no converter", pair)
	}
	out, err := converter.Append(ctx, nil, empty(pair.Source()))
	if err != nil {
		return fmt.Errorf("convert an empty %s: %w", pair, err)
	}
	var head struct {
		APIVersion, Kind string
		Metadata         map[string]any
	}
	if err := json.Unmarshal(out, &head); err != nil {
		return fmt.Errorf("convert an empty %s: read the result: %w", pair, err)
	}
	if got := schema.FromAPIVersionAndKind(head.APIVersion, head.Kind); got != pair.Target() || head.Metadata == nil {
		return fmt.Errorf("convert an empty %s: the result is %s", pair, got)
	}
	return nil
}

func empty(of schema.GroupVersionKind) []byte {
	version, kind := of.ToAPIVersionAndKind()
	return fmt.Appendf(nil, `{"apiVersion":%q,"kind":%q,"metadata":{"name":"empty"}}`, version, kind)
}

func isIn(kinds []Kind, kind schema.GroupKind) bool {
	return slices.ContainsFunc(kinds, func(k Kind) bool { return k.GroupKind == kind })
}

func sortKinds(kinds []Kind) {
	slices.SortFunc(kinds, func(a, b Kind) int {
		return strings.Compare(a.Group+"/"+a.Kind, b.Group+"/"+b.Kind)
	})
}
