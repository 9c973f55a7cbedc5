package typed

import (
	"context"
	"errors"
	"fmt"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/conversion"

	"github.com/stratakube/strata/runtime"
)

// converter converts one pair. It implements engine.Converter.
type converter struct {
	scheme        *k8sruntime.Scheme
	from, to, hub schema.GroupVersionKind
	codec         codec
	// container is how many bytes an object or a list takes at most as Go values, in all types of the conversion.
	container int64
}

// codec is how objects are read and written: totally or strictly.
type codec interface {
	// decode reads an object, until ctx is done. Kept is metadata that could not be read as a whole.
	decode(ctx context.Context, object []byte, into k8sruntime.Object) (kept []byte, err error)
	// encode appends dst, which was converted from src, until ctx is done. Kept, if there is any, stands for its metadata.
	encode(ctx context.Context, out, kept []byte, src, dst k8sruntime.Object) ([]byte, error)
}

// Steps is one to the hub and from it, and two through it.
func (c *converter) Steps() int {
	if c.from == c.hub || c.to == c.hub {
		return 1
	}
	return 2
}

// Append decodes, converts and encodes an object. It ends early, with the error of ctx, when ctx is done: between the
// stages, and within decoding and encoding.
func (c *converter) Append(ctx context.Context, out, object []byte) ([]byte, error) {
	src, err := c.scheme.New(c.from)
	if err != nil {
		return out, fmt.Errorf("make a blank object: %w", err)
	}
	kept, err := c.codec.decode(ctx, object, src)
	if err != nil {
		return out, err
	}
	dst, err := c.convert(ctx, src)
	if err != nil {
		return out, err
	}
	return c.codec.encode(ctx, out, kept, src, dst)
}

func (c *converter) convert(ctx context.Context, src k8sruntime.Object) (k8sruntime.Object, error) {
	dst, err := c.scheme.New(c.to)
	if err != nil {
		return nil, fmt.Errorf("make a blank object: %w", err)
	}
	dst.GetObjectKind().SetGroupVersionKind(c.to)
	middle, err := c.toHub(src, dst)
	if err = runtime.FirstError(err, ctx.Err()); err != nil {
		return nil, err
	}
	if middle != dst {
		if err := survived(dst.(conversion.Convertible).ConvertFrom(middle.(conversion.Hub))); err != nil {
			return nil, fmt.Errorf("from the hub %s: %w", c.hub.Version, err)
		}
	}
	// What is hand-written may have copied the other version's.
	dst.GetObjectKind().SetGroupVersionKind(c.to)
	return dst, nil
}

// toHub returns the hub's object: src itself where it is of the hub's version, and dst where that is.
func (c *converter) toHub(src, dst k8sruntime.Object) (k8sruntime.Object, error) {
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
	if err := survived(src.(conversion.Convertible).ConvertTo(middle.(conversion.Hub))); err != nil {
		return nil, fmt.Errorf("to the hub %s: %w", c.hub.Version, err)
	}
	return middle, nil
}

// survived returns an error, unless the destination was filled nevertheless. The observer was told of that.
func survived(err error) error {
	var failed *runtime.AugmentationError
	if errors.As(err, &failed) {
		return nil
	}
	return err
}
