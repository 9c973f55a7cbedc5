package typed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/conversion"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/convert"
)

// converter converts one pair. It implements engine.Converter.
type converter struct {
	scheme        *k8sruntime.Scheme
	from, to, hub schema.GroupVersionKind
	codec         codec
	// sizes are those of the Go values of one JSON object or list, over all types of the conversion.
	sizes containerSizes
	// decisions is the largest number of steps to decide the original version.
	decisions int
	// root is the type of the source, and expects is what all types tell about its objects.
	root    reflect.Type
	expects struct {
		once sync.Once
		expected
	}
}

// codec reads and writes objects: totalCodec or strictCodec.
type codec interface {
	// decode reads an object, until ctx is done. raw is metadata that could not be read as a whole.
	decode(ctx context.Context, object []byte, into k8sruntime.Object) (raw []byte, err error)
	// encode appends dst, which was converted from src, until ctx is done. If raw is not nil, it
	// replaces the metadata.
	encode(ctx context.Context, out, raw []byte, src, dst k8sruntime.Object) ([]byte, error)
}

// Steps returns one if the hub is the source or the target, and two otherwise.
func (c *converter) Steps() int {
	if c.from == c.hub || c.to == c.hub {
		return 1
	}
	return 2
}

// Append decodes, converts and encodes an object. When ctx is done, it ends early with the error of
// ctx: between the stages, and within decoding and encoding of types that Strata generated. Their
// methods ConvertTo and ConvertFrom end while they write or restore hidden values.
func (c *converter) Append(ctx context.Context, out, object []byte) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return out, err
	}
	src, err := c.scheme.New(c.from)
	if err != nil {
		return out, fmt.Errorf("make a blank object: %w", err)
	}
	raw, err := c.codec.decode(ctx, object, src)
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return out, err
	}
	dst, err := c.convert(ctx, src)
	if err != nil {
		return out, err
	}
	return c.codec.encode(ctx, out, raw, src, dst)
}

func (c *converter) convert(ctx context.Context, src k8sruntime.Object) (k8sruntime.Object, error) {
	dst, err := c.scheme.New(c.to)
	if err != nil {
		return nil, fmt.Errorf("make a blank object: %w", err)
	}
	dst.GetObjectKind().SetGroupVersionKind(c.to)
	middle, err := c.toHub(ctx, src, dst)
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return nil, err
	}
	if middle != dst {
		from := func() error { return dst.(conversion.Convertible).ConvertFrom(middle.(conversion.Hub)) }
		if err := ignoreAugmentation(convert.Until(ctx, dst, from)); err != nil {
			return nil, fmt.Errorf("from the hub %s: %w", c.hub.Version, err)
		}
	}
	// Hand-written code may have copied the group, version and kind of the source.
	dst.GetObjectKind().SetGroupVersionKind(c.to)
	return dst, ctx.Err()
}

// toHub returns the object in the hub's version: src itself if it has that version, and dst if that
// has it.
func (c *converter) toHub(ctx context.Context, src, dst k8sruntime.Object) (k8sruntime.Object, error) {
	if c.from == c.hub {
		return src, nil
	}
	middle := dst
	if c.to != c.hub {
		made, err := c.scheme.New(c.hub)
		if err != nil {
			return nil, fmt.Errorf("make a blank object: %w", err)
		}
		middle = made
	}
	to := func() error { return src.(conversion.Convertible).ConvertTo(middle.(conversion.Hub)) }
	if err := ignoreAugmentation(convert.Until(ctx, src, to)); err != nil {
		return nil, fmt.Errorf("to the hub %s: %w", c.hub.Version, err)
	}
	return middle, nil
}

// ignoreAugmentation returns err, except for an AugmentationError: then the destination is
// complete, and the observer was informed.
func ignoreAugmentation(err error) error {
	var failed *runtime.AugmentationError
	if errors.As(err, &failed) {
		return nil
	}
	return err
}
