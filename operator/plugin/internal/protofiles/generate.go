package protofiles

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/stratakube/strata/operator/plugin/internal/kindgen"
)

// The ends of the names of generated files: of messages, and of versions of kinds.
const (
	suffix     = ".pb.go"
	kindSuffix = "_plugin.pb.go"
)

// Generate writes the generated code, and removes that of protobuf files that are gone.
func (p *Project) Generate(ctx context.Context) error {
	fresh, present, err := p.both(ctx)
	if err != nil {
		return err
	}
	for name, text := range fresh {
		if bytes.Equal(present[name], text) {
			continue
		}
		path := filepath.Join(p.Dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, text, 0o666)); err != nil {
			return fmt.Errorf("write generated code: %w", err)
		}
	}
	for _, name := range stale(fresh, present) {
		if err := os.Remove(filepath.Join(p.Dir, filepath.FromSlash(name))); err != nil {
			return fmt.Errorf("remove generated code: %w", err)
		}
	}
	return nil
}

// Fresh reports generated code that differs from what the protobuf files give.
func (p *Project) Fresh(ctx context.Context) error {
	fresh, present, err := p.both(ctx)
	if err != nil {
		return err
	}
	var wrong []error
	for _, name := range slices.Sorted(maps.Keys(fresh)) {
		if !bytes.Equal(fresh[name], present[name]) {
			wrong = append(wrong, fmt.Errorf("%s is not what the protobuf files give: run strata-plugin-kinds generate", name))
		}
	}
	for _, name := range stale(fresh, present) {
		wrong = append(wrong, fmt.Errorf("%s is generated from no protobuf file: run strata-plugin-kinds generate", name))
	}
	return errors.Join(wrong...)
}

// both returns the code that the protobuf files give, and the code that is there.
func (p *Project) both(ctx context.Context) (fresh, present map[string][]byte, err error) {
	if fresh, err = p.generated(ctx); err != nil {
		return nil, nil, err
	}
	present, err = p.present()
	return fresh, present, err
}

// stale lists generated code whose protobuf file is gone: of kinds only, since a project can have
// other files by protoc-gen-go.
func stale(fresh, present map[string][]byte) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(present)) {
		kind, isKind := strings.CutSuffix(name, kindSuffix)
		if !isKind || fresh[name] != nil {
			continue
		}
		names = append(names, name)
		if messages := kind + suffix; present[messages] != nil && fresh[messages] == nil {
			names = append(names, messages)
		}
	}
	return names
}

// generated returns the generated code, by paths in the module.
func (p *Project) generated(ctx context.Context) (map[string][]byte, error) {
	bin, err := os.MkdirTemp("", "strata-plugin-")
	if err != nil {
		return nil, fmt.Errorf("generate: %w", err)
	}
	defer func() { _ = os.RemoveAll(bin) }()
	compiler := filepath.Join(bin, "protoc-gen-go")
	if _, err := goCommand(p.Dir, "build", "-o", compiler, "google.golang.org/protobuf/cmd/protoc-gen-go"); err != nil {
		return nil, fmt.Errorf("build protoc-gen-go, of the module google.golang.org/protobuf that this module requires: %w", err)
	}
	files := map[string][]byte{}
	var wrong []error
	for _, name := range p.folders() {
		compiled, err := p.compile(ctx, name)
		if err == nil {
			err = p.print(ctx, compiler, compiled, files)
		}
		wrong = append(wrong, err)
	}
	return files, errors.Join(wrong...)
}

// print adds the generated code of a folder.
func (p *Project) print(ctx context.Context, compiler string, compiled *folder, into map[string][]byte) error {
	request := &pluginpb.CodeGeneratorRequest{
		FileToGenerate: compiled.own, ProtoFile: compiled.file, Parameter: proto.String("module=" + p.Module),
	}
	messages, err := call(ctx, compiler, request)
	if err != nil {
		return err
	}
	generator, err := protogen.Options{}.New(request)
	if err != nil {
		return err
	}
	if err := kindgen.Generate(generator, p.Domain); err != nil {
		return err
	}
	return errors.Join(collect(messages, into), collect(generator.Response(), into))
}

func collect(response *pluginpb.CodeGeneratorResponse, into map[string][]byte) error {
	if response.Error != nil {
		return errors.New(response.GetError())
	}
	for _, f := range response.GetFile() {
		if _, ok := into[f.GetName()]; ok {
			return fmt.Errorf("%s is generated from two protobuf files", f.GetName())
		}
		into[f.GetName()] = []byte(f.GetContent())
	}
	return nil
}

// call calls a generator, in the protocol of protoc.
func call(ctx context.Context, program string, request *pluginpb.CodeGeneratorRequest) (*pluginpb.CodeGeneratorResponse, error) {
	in, err := proto.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("call protoc-gen-go: %w", err)
	}
	cmd := exec.CommandContext(ctx, program)
	var complaint bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), &complaint
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("call protoc-gen-go: %w: %s", err, bytes.TrimSpace(complaint.Bytes()))
	}
	response := &pluginpb.CodeGeneratorResponse{}
	if err := proto.Unmarshal(out, response); err != nil {
		return nil, fmt.Errorf("call protoc-gen-go: %w", err)
	}
	return response, nil
}

// present returns the generated code that the module has, by paths in it. Nested modules are not
// part of it.
func (p *Project) present() (map[string][]byte, error) {
	files := map[string][]byte{}
	err := filepath.WalkDir(p.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != p.Dir && isForeign(path, entry.Name()) {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(path, suffix) {
			return nil
		}
		name, err := filepath.Rel(p.Dir, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil && isOurs(text) {
			files[filepath.ToSlash(name)] = text
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read generated code: %w", err)
	}
	return files, nil
}

func isForeign(path, name string) bool {
	_, err := os.Stat(filepath.Join(path, "go.mod"))
	return err == nil || name == "vendor" || name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

// isOurs reports whether a file was generated by one of the two generators that Generate calls.
func isOurs(text []byte) bool {
	head := text[:min(len(text), headerRoom)]
	return bytes.Contains(head, []byte("// Code generated by protoc-gen-go. DO NOT EDIT.")) ||
		bytes.Contains(head, []byte("// Code generated by protoc-gen-strata-plugin. DO NOT EDIT."))
}

// headerRoom is where the header of a generated file must be. Comments of the protobuf file precede
// it.
const headerRoom = 8 << 10
