package provider

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strings"

	"sigs.k8s.io/yaml"
)

// File is the file that assigns types to providers.
type File struct {
	APIVersion string  `json:"apiVersion"`
	Kind       string  `json:"kind"`
	Providers  []Entry `json:"providers"`
}

// Entry is one provider.
type Entry struct {
	// Name is the name of the provider plugin, such as strata.dev/arm.
	Name string `json:"name"`
	// Types are patterns for types of the external API, in which * matches any text. An empty
	// list matches all types.
	Types []string `json:"types,omitempty"`
	// Config is passed to the plugin.
	Config map[string]string `json:"config,omitempty"`
	// Rate limits the calls of this process.
	Rate Rate `json:"rate,omitzero"`
}

// Rate limits calls of a provider. There is no limit if PerSecond is 0.
type Rate struct {
	PerSecond float64 `json:"perSecond,omitempty"`
	Burst     int     `json:"burst,omitempty"`
}

const (
	fileVersion = "strata.dev/v1alpha1"
	fileKind    = "Providers"
	maxFile     = 1 << 20
)

// ReadFile reads a file of providers. It reports all errors at once.
func ReadFile(name string) ([]Entry, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("read providers: %w", err)
	}
	if info.Size() > maxFile {
		return nil, fmt.Errorf("read providers: %s has more than %d bytes", name, maxFile)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read providers: %w", err)
	}
	entries, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("read providers: %s: %w", name, err)
	}
	return entries, nil
}

// Parse decodes and checks a file of providers. It reports all errors at once, but those of YAML.
func Parse(data []byte) ([]Entry, error) {
	var f File
	if err := yaml.UnmarshalStrict(data, &f); err != nil {
		return nil, err
	}
	var wrong []error
	if f.APIVersion != fileVersion || f.Kind != fileKind {
		wrong = append(wrong, fmt.Errorf("it is %s %s, and not %s %s", f.APIVersion, f.Kind, fileVersion, fileKind))
	}
	if len(f.Providers) == 0 {
		wrong = append(wrong, errors.New("providers is empty: name at least one"))
	}
	for i, e := range f.Providers {
		wrong = append(wrong, e.check(fmt.Sprintf("providers[%d]", i))...)
	}
	return f.Providers, errors.Join(wrong...)
}

func (e Entry) check(at string) (wrong []error) {
	if e.Name == "" {
		wrong = append(wrong, fmt.Errorf("%s.name is missing", at))
	}
	for i, pattern := range e.Types {
		if _, err := path.Match(flat(pattern), ""); err != nil || pattern == "" {
			wrong = append(wrong, fmt.Errorf("%s.types[%d]: %q is no pattern", at, i, pattern))
		}
	}
	if e.Rate.PerSecond < 0 || e.Rate.Burst < 0 {
		wrong = append(wrong, fmt.Errorf("%s.rate is below zero", at))
	}
	if e.Rate.PerSecond == 0 && e.Rate.Burst > 0 {
		wrong = append(wrong, fmt.Errorf("%s.rate.burst needs perSecond", at))
	}
	return wrong
}

// matches reports whether the provider serves a type. It ignores letter case, in which versions
// of some APIs differ.
func (e Entry) matches(external string) bool {
	if len(e.Types) == 0 {
		return true
	}
	for _, pattern := range e.Types {
		if is, _ := path.Match(flat(pattern), flat(external)); is {
			return true
		}
	}
	return false
}

// flat replaces slashes, so that * in a pattern of package path matches them, too.
func flat(text string) string { return strings.ToLower(strings.ReplaceAll(text, "/", ":")) }
