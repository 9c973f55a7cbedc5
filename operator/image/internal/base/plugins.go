package base

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
)

// plugins is the folder of plugins in an image.
const plugins = "plugins"

// machines are the names of architectures in Go, by their names in programs.
var machines = map[elf.Machine]string{
	elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64", elf.EM_ARM: "arm", elf.EM_386: "386", elf.EM_PPC64: "ppc64le",
	elf.EM_S390: "s390x", elf.EM_RISCV: "riscv64", elf.EM_LOONGARCH: "loong64",
}

// Add adds the files of a folder to /plugins of the image. The folder has one of each platform
// below it, such as linux_arm64, or is that of the one platform.
func (i Image) Add(folder string) (Image, error) {
	if own := filepath.Join(folder, i.Platform.OS+"_"+i.Platform.Architecture); isFolder(own) {
		folder = own
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return i, fmt.Errorf("read plugins: %w", err)
	}
	files := []file{{plugins, os.ModeDir | 0o755, nil}}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return i, fmt.Errorf("read plugins: %w", err)
		}
		if !info.Mode().IsRegular() {
			return i, fmt.Errorf("read plugins: %s is no file", filepath.Join(folder, e.Name()))
		}
		body, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return i, fmt.Errorf("read plugins: %w", err)
		}
		if machine := machineOf(body); machine != "" && machine != i.Platform.Architecture {
			return i, fmt.Errorf("read plugins: %s is a program for %s, and the image is for %s", filepath.Join(folder, e.Name()), machine, i.Platform.String())
		}
		files = append(files, file{plugins + "/" + e.Name(), 0o444 | info.Mode().Perm()&0o111, body})
	}
	i.Image, err = with(i.Image, files)
	return i, err
}

// machineOf returns the architecture of a program; empty if the file is none, or of an unknown one.
func machineOf(body []byte) string {
	program, err := elf.NewFile(bytes.NewReader(body))
	if err != nil {
		return ""
	}
	return machines[program.Machine]
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
