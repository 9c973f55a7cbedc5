package protofiles

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/stratakube/strata/operator/plugin/contract"
)

// ImageFile is the name of the compiled protobuf files of a release, in its folder. They have the
// format of protoc's option --descriptor_set_out, and of buf's images.
const ImageFile = "image.binpb"

// Image returns the compiled files of the project's kinds, without those for tests.
func (p *Project) Image(ctx context.Context) (*descriptorpb.FileDescriptorSet, error) {
	image := &descriptorpb.FileDescriptorSet{}
	isIn := map[string]bool{}
	var wrong []error
	for _, name := range p.Proto {
		compiled, err := p.compile(ctx, name)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		for _, file := range compiled.file {
			if !isIn[file.GetName()] {
				isIn[file.GetName()] = true
				image.File = append(image.File, file)
			}
		}
	}
	return image, errors.Join(wrong...)
}

// ReadImage reads the compiled files of a release.
func ReadImage(folder string) (*descriptorpb.FileDescriptorSet, error) {
	path := filepath.Join(folder, ImageFile)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read released protobuf files: %w", err)
	}
	image := &descriptorpb.FileDescriptorSet{}
	if err := proto.Unmarshal(data, image); err != nil {
		return nil, fmt.Errorf("read released protobuf files: %s: %w", path, err)
	}
	return image, nil
}

// Newest returns the newest versions of the kinds in an image.
func Newest(image *descriptorpb.FileDescriptorSet) (map[string]int, error) {
	versions := map[string]map[int]bool{}
	var wrong []error
	for _, file := range image.GetFile() {
		for _, service := range file.GetService() {
			full := file.GetPackage() + "." + service.GetName()
			if full == frameworkService {
				continue
			}
			id, _, err := contract.ParseService(full)
			switch {
			case err != nil:
				wrong = append(wrong, fmt.Errorf("%s: %w", file.GetName(), err))
				continue
			case versions[id.Kind] == nil:
				versions[id.Kind] = map[int]bool{}
			case versions[id.Kind][id.Number]:
				wrong = append(wrong, fmt.Errorf("%s: there is another service of %s", file.GetName(), id))
			}
			versions[id.Kind][id.Number] = true
		}
	}
	newest := map[string]int{}
	for kind, all := range versions {
		for number := range all {
			newest[kind] = max(newest[kind], number)
		}
	}
	return newest, errors.Join(wrong...)
}

// frameworkService is the framework's own service.
const frameworkService = "strata.plugin.v1.Plugin"
