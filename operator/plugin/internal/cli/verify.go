package cli

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/host"
	"github.com/stratakube/strata/operator/plugin/internal/commandline"
	"github.com/stratakube/strata/operator/plugin/lock"
)

func runVerify(ctx context.Context, args []string, s commandline.Streams) error {
	var folder string
	var write bool
	environment := map[string][]string{}
	words, err := commandline.Flags(args, func(f *flag.FlagSet) {
		f.StringVar(&folder, "dir", "", "")
		f.BoolVar(&write, "write", false, "")
		f.Func("environment", "", grant(environment))
	})
	if err == nil {
		folder, err = oneFolder(folder, words)
	}
	if err != nil {
		return err
	}
	programs, err := lock.Programs(folder)
	if err != nil {
		return err
	}
	found := lock.File{}
	var findings []error
	for _, p := range programs {
		serves, err := ask(ctx, p)
		if err != nil {
			findings = append(findings, err)
			continue
		}
		found.Plugins = append(found.Plugins, lock.EntryOf(p, serves))
	}
	if len(environment) > 0 && !write {
		return errors.New("--environment is for --write")
	}
	if write && len(findings) == 0 {
		if err := keepEnvironment(folder, &found, environment); err != nil {
			return err
		}
		return found.Write(folder)
	}
	findings = append(findings, compare(folder, found, write)...)
	findings = append(findings, unusable(ctx, folder, len(findings) == 0)...)
	if len(findings) > 0 {
		return commandline.Found(errors.Join(findings...))
	}
	fmt.Fprintf(s.Out, "plugins that match %s and work: %d\n", lock.Name, len(found.Plugins))
	return nil
}

// oneFolder returns the folder of plugins: the one argument, or the value of --dir, or else the
// working folder.
func oneFolder(flagged string, words []string) (string, error) {
	switch {
	case len(words) == 0:
		return aFolder(cmp.Or(flagged, "."))
	case flagged != "":
		return "", fmt.Errorf("unexpected %q: --dir names the folder", strings.Join(words, " "))
	case len(words) > 1:
		return "", fmt.Errorf("want one folder: %q", strings.Join(words, " "))
	}
	return aFolder(words[0])
}

// aFolder returns a folder if it exists.
func aFolder(name string) (string, error) {
	switch info, err := os.Stat(name); {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("there is no folder %s; name the folder with the programs of the plugins, and with %s", name, lock.Name)
	case err != nil:
		return "", err
	case !info.IsDir():
		return "", fmt.Errorf("%s is a file; name the folder with the programs of the plugins", name)
	}
	return name, nil
}

// grant parses FILE=PATTERN, a variable that a program gets, or FILE= for none.
func grant(to map[string][]string) func(string) error {
	return func(text string) error {
		file, pattern, has := strings.Cut(text, "=")
		if !has || file == "" {
			return errors.New("want FILE=PATTERN, as in strata-arm=AZURE_*")
		}
		if pattern == "" {
			to[file] = []string{}
			return nil
		}
		to[file] = append(to[file], pattern)
		return host.CheckEnvironment([]string{pattern})
	}
}

// keepEnvironment sets the variables that programs are granted, or else those of the existing lock
// file.
func keepEnvironment(folder string, found *lock.File, granted map[string][]string) error {
	before, err := lock.Read(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for i := range found.Plugins {
		e := &found.Plugins[i]
		if patterns, has := granted[e.File]; has {
			e.Environment = patterns
			delete(granted, e.File)
		} else if before != nil {
			if at := slices.IndexFunc(before.Plugins, func(b lock.Entry) bool { return b.File == e.File }); at >= 0 {
				e.Environment = before.Plugins[at].Environment
			}
		}
	}
	for file := range granted {
		return fmt.Errorf("--environment: no plugin is called %s", file)
	}
	return nil
}

// ask starts a program as hosts do, and returns what it serves.
func ask(ctx context.Context, p host.Plugin) ([]contract.Served, error) {
	h, err := open([]host.Plugin{p})
	if err != nil {
		return nil, err
	}
	defer h.Stop(ctx)
	if err := h.Check(ctx); err != nil {
		return nil, err
	}
	return h.Served(), nil
}

// compare returns the differences from the lock file. There are none if the file is about to be
// written.
func compare(folder string, found lock.File, isWritten bool) (findings []error) {
	if isWritten {
		return nil
	}
	file, err := lock.Read(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return []error{fmt.Errorf("%s does not exist: write it with --write, if you trust the files in %s", lock.Name, folder)}
	}
	if err != nil {
		return []error{err}
	}
	for _, e := range file.Plugins {
		i := slices.IndexFunc(found.Plugins, func(f lock.Entry) bool { return f.File == e.File })
		switch {
		case i < 0:
			findings = append(findings, fmt.Errorf("%s is locked, but not there or not good", e.File))
		case found.Plugins[i].SHA256 != e.SHA256:
			findings = append(findings, fmt.Errorf("%s has the SHA-256 %s, but %s is locked", e.File, found.Plugins[i].SHA256, e.SHA256))
		case !slices.Equal(found.Plugins[i].Serves, e.Serves):
			findings = append(findings, fmt.Errorf("%s serves %s, but %s is locked", e.File, words(found.Plugins[i].Serves), words(e.Serves)))
		}
	}
	for _, f := range found.Plugins {
		if !slices.ContainsFunc(file.Plugins, func(e lock.Entry) bool { return f.File == e.File }) {
			findings = append(findings, fmt.Errorf("%s is not locked", f.File))
		}
	}
	return findings
}

func words(all []lock.Served) string {
	var list []string
	for _, s := range all {
		list = append(list, fmt.Sprintf("%s %s v%d", s.Kind, s.Name, s.Version))
	}
	return strings.Join(list, ", ")
}

// unusable returns names for which this host cannot use any version.
func unusable(ctx context.Context, folder string, isLocked bool) (findings []error) {
	if !isLocked {
		return nil
	}
	plugins, err := lock.Load(folder)
	if err != nil {
		return []error{err}
	}
	h, err := open(plugins)
	if err != nil {
		return []error{err}
	}
	defer h.Stop(ctx)
	rows, err := list(ctx, h)
	if err != nil {
		return []error{err}
	}
	for _, r := range rows {
		if r.Refused != "" {
			findings = append(findings, fmt.Errorf("%s: %s %s cannot be used: %s", filepath.Base(r.Program), r.Kind, r.Name, r.Refused))
		}
	}
	return findings
}
