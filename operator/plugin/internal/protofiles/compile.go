package protofiles

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/linker"
	"github.com/bufbuild/protocompile/protoutil"
	"github.com/bufbuild/protocompile/reporter"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// folder has the compiled files of a folder.
type folder struct {
	own  []string                            // paths of its files, sorted
	file []*descriptorpb.FileDescriptorProto // all, with what they import, each after its imports
}

// compile compiles the files of a folder. It returns all errors, with their positions.
func (p *Project) compile(ctx context.Context, name string) (*folder, error) {
	root := filepath.Join(p.Dir, filepath.FromSlash(name))
	own, err := protoFiles(root)
	if err != nil {
		return nil, err
	}
	roots := []string{root}
	for _, other := range p.Proto {
		if other != name {
			roots = append(roots, filepath.Join(p.Dir, filepath.FromSlash(other)))
		}
	}
	var wrong []error
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: roots}),
		SourceInfoMode: protocompile.SourceInfoStandard,
		Reporter: reporter.NewReporter(func(err reporter.ErrorWithPos) error {
			wrong = append(wrong, fmt.Errorf("%s/%w", name, err))
			return nil
		}, nil),
	}
	files, err := compiler.Compile(ctx, own...)
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f := &folder{own: own}
	f.add(files)
	return f, nil
}

func protoFiles(root string) (own []string, err error) {
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".proto") {
			return err
		}
		name, err := filepath.Rel(root, path)
		own = append(own, filepath.ToSlash(name))
		return err
	})
	if err == nil && len(own) == 0 {
		err = fmt.Errorf("%s: %w: there are no protobuf files", root, os.ErrNotExist)
	}
	slices.Sort(own)
	return own, err
}

// add adds files after what they import.
func (f *folder) add(files linker.Files) {
	added := map[string]bool{}
	var visit func(file protoreflect.FileDescriptor)
	visit = func(file protoreflect.FileDescriptor) {
		if added[file.Path()] {
			return
		}
		added[file.Path()] = true
		for i := range file.Imports().Len() {
			visit(file.Imports().Get(i).FileDescriptor)
		}
		f.file = append(f.file, protoutil.ProtoFromFileDescriptor(file))
	}
	for _, file := range files {
		visit(file)
	}
}
