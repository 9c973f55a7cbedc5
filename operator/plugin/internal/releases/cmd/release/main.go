// Command release adds a release to the record of package releases, for the present code. go tool
// mage proto:release runs it, and adds the image of the protobuf files.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/stratakube/strata/operator/plugin/internal/kinds"
	"github.com/stratakube/strata/operator/plugin/internal/releases"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: release MODULE RELEASE")
		os.Exit(2)
	}
	if err := release(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func release(module, name string) error {
	module, err := filepath.Abs(module)
	if err != nil {
		return err
	}
	folder := filepath.Join(module, "releases")
	all, err := extend(folder, name)
	if err != nil {
		return err
	}
	record, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	interfaces, err := releases.Interfaces(kinds.All)
	if err != nil {
		return err
	}
	framework, err := releases.Framework(module)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(folder, name), 0o755); err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(folder, name, releases.InterfaceFile), []byte(interfaces), 0o644),
		os.WriteFile(filepath.Join(folder, name, releases.FrameworkFile), framework, 0o644),
		os.WriteFile(filepath.Join(folder, releases.RecordFile), append(record, '\n'), 0o644),
	)
}

// extend adds the release to the existing ones.
func extend(folder, name string) ([]releases.Release, error) {
	all, err := releases.Read(folder)
	if err != nil {
		return nil, err
	}
	newest, err := releases.Newest(kinds.All)
	if err != nil {
		return nil, err
	}
	r := releases.Release{Release: name, Kinds: newest}
	var before releases.Release
	if len(all) > 0 {
		before = all[len(all)-1]
	}
	if before.Release == name {
		return nil, fmt.Errorf("%s is recorded already", name)
	}
	return append(all, r), releases.Follows(before, r)
}
