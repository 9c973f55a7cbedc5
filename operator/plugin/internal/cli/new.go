package cli

import (
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/stratakube/strata/operator/plugin/internal/commandline"
	"github.com/stratakube/strata/operator/plugin/provider"
)

//go:embed template
var template embed.FS

// runNew writes the template, with the names in it replaced by those of this plugin.
func runNew(_ context.Context, args []string, s commandline.Streams) error {
	var folder, module string
	words, err := commandline.Flags(args, func(f *flag.FlagSet) {
		f.StringVar(&folder, "dir", "", "")
		f.StringVar(&module, "module", "", "")
	})
	if err != nil {
		return err
	}
	if len(words) != 1 {
		return errors.New("want one name for the plugin, as in example.com/files")
	}
	name, err := fullName(words[0])
	if err != nil {
		return err
	}
	if folder == "" {
		folder = path.Base(name)
	}
	if module == "" {
		module = name
	}
	files, err := render(name, module)
	if err != nil {
		return err
	}
	if err := writeNew(folder, files); err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "%s is a plugin to begin with. Next:\n\n  cd %s\n  go mod tidy\n  go test ./...\n", folder, folder)
	return nil
}

// fullName completes the name of a provider.
func fullName(name string) (string, error) {
	terms, err := provider.Latest.Terms()
	if err != nil {
		return "", err
	}
	return terms.Name(name)
}

func render(name, module string) (map[string]string, error) {
	entries, err := template.ReadDir("template")
	if err != nil {
		return nil, err
	}
	replace := strings.NewReplacer("example.com/template-name", name, "example.com/template-module", module)
	files := map[string]string{}
	for _, e := range entries {
		text, err := template.ReadFile("template/" + e.Name())
		if err != nil {
			return nil, err
		}
		files[strings.TrimSuffix(e.Name(), ".txt")] = replace.Replace(string(text))
	}
	return files, nil
}

// writeNew writes the files, or none if one of them exists already.
func writeNew(folder string, files map[string]string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	for name := range files {
		if _, err := os.Lstat(filepath.Join(folder, name)); err == nil {
			return fmt.Errorf("%s is there already", filepath.Join(folder, name))
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}
