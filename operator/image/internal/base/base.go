package base

import (
	"errors"
	"fmt"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Image is the base of one platform.
type Image struct {
	v1.Image
	Platform v1.Platform
}

// For returns a base for each platform, in their order. Layout is the folder of an OCI layout that
// has them; if it is empty, they are made.
func For(platforms []v1.Platform, folder string) ([]Image, error) {
	if folder == "" {
		var out []Image
		for _, p := range platforms {
			image, err := made(p)
			if err != nil {
				return nil, err
			}
			out = append(out, Image{image, p})
		}
		return out, nil
	}
	index, err := layout.ImageIndexFromPath(folder)
	if err != nil {
		return nil, fmt.Errorf("read base: %s is no OCI layout: %w", folder, err)
	}
	all, err := images(index)
	if err != nil {
		return nil, fmt.Errorf("read base %s: %w", folder, err)
	}
	var out []Image
	for _, p := range platforms {
		image, err := choose(all, p)
		if err != nil {
			return nil, fmt.Errorf("read base %s: %w", folder, err)
		}
		out = append(out, Image{image, p})
	}
	return out, nil
}

// choose returns the image of a platform.
func choose(all []Image, p v1.Platform) (v1.Image, error) {
	var found []v1.Image
	var has []string
	for _, image := range all {
		has = append(has, image.Platform.String())
		if image.Platform.OS == p.OS && image.Platform.Architecture == p.Architecture && (p.Variant == "" || image.Platform.Variant == p.Variant) {
			found = append(found, image.Image)
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("it has no image for %s, but for %s", p.String(), strings.Join(has, ", "))
	case 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("it has %d images for %s: use a layout of one", len(found), p.String())
}

// images returns the images of an index and of those within it. Attestations are no images.
func images(index v1.ImageIndex) ([]Image, error) {
	manifest, err := index.IndexManifest()
	if err != nil {
		return nil, err
	}
	var out []Image
	for _, d := range manifest.Manifests {
		switch {
		case d.Platform != nil && d.Platform.OS == "unknown":
		case d.MediaType.IsIndex():
			inner, err := index.ImageIndex(d.Digest)
			if err != nil {
				return nil, err
			}
			more, err := images(inner)
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
		case d.MediaType.IsImage():
			image, err := index.Image(d.Digest)
			if err != nil {
				return nil, err
			}
			config, err := image.ConfigFile()
			if err != nil {
				return nil, err
			}
			out = append(out, Image{image, *config.Platform()})
		}
	}
	if len(out) == 0 {
		return nil, errors.New("it has no image of any platform")
	}
	return out, nil
}

// Index returns an index of several images, which names their platforms.
func Index(all []Image) v1.ImageIndex {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, image := range all {
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image.Image, Descriptor: v1.Descriptor{Platform: &image.Platform}})
	}
	return index
}
