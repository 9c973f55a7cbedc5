package archives

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Verify checks the folder of a release, without a network: that its signatures are those that are
// trusted, that it has the files that are signed and no others, and that the archives have the
// programs that their lists of modules and the statement of origin name. Root is the folder of the
// workspace. It returns the number of archives.
func Verify(ctx context.Context, root, dir string, t Trust) (int, error) {
	flags, err := t.flags()
	if err != nil {
		return 0, fmt.Errorf("verify a release: %w", err)
	}
	if err := withSign(ctx, root, func(program string) error {
		var errs []error
		for _, of := range signed {
			errs = append(errs, of.run(ctx, program, "verify", dir, flags))
		}
		return errors.Join(errs...)
	}); err != nil {
		return 0, fmt.Errorf("verify a release: %w", err)
	}
	sums, err := readSums(dir)
	if err != nil {
		return 0, fmt.Errorf("verify a release: %w", err)
	}
	archives, err := verifyFiles(dir, sums)
	if err != nil {
		return 0, fmt.Errorf("verify a release: %w", err)
	}
	return archives, nil
}

// readSums reads the checksums, and compares them with the files.
func readSums(dir string) (map[string]string, error) {
	text, err := os.ReadFile(filepath.Join(dir, Checksums))
	if err != nil {
		return nil, err
	}
	sums := map[string]string{}
	for line := range strings.Lines(string(text)) {
		sum, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if !ok || name != filepath.Base(name) || sums[name] != "" {
			return nil, fmt.Errorf("%s: %q is no checksum", Checksums, line)
		}
		sums[name] = sum
	}
	var errs []error
	for name, sum := range sums {
		body, err := os.ReadFile(filepath.Join(dir, name))
		switch {
		case err != nil:
			errs = append(errs, err)
		case sumOf(body) != sum:
			errs = append(errs, fmt.Errorf("%s is not the file that was signed: its SHA-256 is %s", name, sumOf(body)))
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	known := []string{Checksums}
	for _, of := range signed {
		known = append(known, of.name+bundleSuffix)
	}
	for _, e := range entries {
		if sums[e.Name()] == "" && !slices.Contains(known, e.Name()) {
			errs = append(errs, fmt.Errorf("%s is not signed", e.Name()))
		}
	}
	return sums, errors.Join(errs...)
}

// verifyFiles compares the archives with the statement of origin and with their lists of modules.
func verifyFiles(dir string, sums map[string]string) (int, error) {
	text, err := os.ReadFile(filepath.Join(dir, provenance))
	if err != nil {
		return 0, err
	}
	var s statement
	if err := json.Unmarshal(text, &s); err != nil {
		return 0, fmt.Errorf("%s: %w", provenance, err)
	}
	if s.Type != statementType || s.PredicateType != provenanceType || len(s.Subject) == 0 {
		return 0, fmt.Errorf("%s is no statement of the origin of archives", provenance)
	}
	var errs []error
	for _, of := range s.Subject {
		if sum := of.Digest["sha256"]; sum == "" || sums[of.Name] != sum {
			errs = append(errs, fmt.Errorf("%s states the origin of another %s, with the SHA-256 %q", provenance, of.Name, sum))
			continue
		}
		errs = append(errs, verifyArchive(dir, of.Name))
	}
	for name := range sums {
		isArchive := strings.HasSuffix(name, ".tar.gz") || strings.HasSuffix(name, ".zip")
		if isArchive && !slices.ContainsFunc(s.Subject, func(of subject) bool { return of.Name == name }) {
			errs = append(errs, fmt.Errorf("%s states nothing about %s", provenance, name))
		}
	}
	return len(s.Subject), errors.Join(errs...)
}

// verifyArchive compares the programs of an archive with its list of modules, and its platform.
func verifyArchive(dir, name string) error {
	on, err := platformOf(name)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	entries, err := unpack(on, text)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	list, err := os.ReadFile(filepath.Join(dir, name+sbomSuffix))
	if err != nil {
		return err
	}
	var doc spdxDocument
	if err := json.Unmarshal(list, &doc); err != nil {
		return fmt.Errorf("%s%s: %w", name, sbomSuffix, err)
	}
	listed := map[string]string{}
	for _, f := range doc.Files {
		for _, c := range f.Checksums {
			if c.Algorithm == "SHA256" {
				listed[strings.TrimPrefix(f.FileName, "./")] = c.Value
			}
		}
	}
	var errs []error
	for _, e := range entries {
		if !e.isProgram {
			continue
		}
		if listed[e.name] != sumOf(e.body) {
			errs = append(errs, fmt.Errorf("%s: its list of modules is of another %s", name, e.name))
		}
		delete(listed, e.name)
		info, err := buildinfo.Read(bytes.NewReader(e.body))
		if err == nil {
			err = isFor(info, on)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %s: %w", name, e.name, err))
		}
	}
	for file := range listed {
		errs = append(errs, fmt.Errorf("%s: it lacks the program %s, whose modules are listed", name, file))
	}
	return errors.Join(errs...)
}

// platformOf returns the platform that the name of an archive ends with.
func platformOf(name string) (Platform, error) {
	base := strings.TrimSuffix(strings.TrimSuffix(name, ".zip"), ".tar.gz")
	for _, p := range Platforms {
		if strings.HasSuffix(base, "_"+p.OS+"_"+p.Arch) {
			return p, nil
		}
	}
	return Platform{}, fmt.Errorf("%s is an archive for no platform that is known", name)
}
