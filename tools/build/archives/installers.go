package archives

import (
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"
)

// tagPrefix is that of the tags whose releases have the archives: those of the generator's module.
const tagPrefix = "generator/"

// download is the address of a file of the release.
func (o Options) download(file string) string {
	return "https://" + o.Module + "/releases/download/" + tagPrefix + o.Version + "/" + file
}

const (
	short = "Generate versioned APIs, and upgrade what clusters store"
	long  = `strata generates Kubernetes APIs in many versions, and the conversions between them. strata cluster
lists the versions in which a cluster stores objects, and what they hide. It plans the upgrade to a
new storage version, does it in stages with evidence, and leads back.
`
)

// krew returns the manifest of the plugin `kubectl strata`. The programs beside strata are its
// commands.
func (o Options) krew(archives []artifact) ([]byte, error) {
	type object = map[string]any
	var platforms []object
	for _, a := range archives {
		files := []object{{"from": "LICENSE", "to": "."}}
		for _, p := range a.programs {
			files = append(files, object{"from": p.name, "to": "."})
		}
		platforms = append(platforms, object{
			"selector": object{"matchLabels": object{"os": a.platform.OS, "arch": a.platform.Arch}},
			"uri":      o.download(a.name), "sha256": a.sum, "bin": a.programs[0].name, "files": files,
		})
	}
	return yaml.Marshal(object{
		"apiVersion": "krew.googlecontainertools.github.com/v1alpha2", "kind": "Plugin", "metadata": object{"name": "strata"},
		"spec": object{
			"version": o.Version, "homepage": "https://" + o.Module, "shortDescription": short, "description": long, "platforms": platforms,
		},
	})
}

// formula returns the formula of Homebrew.
func (o Options) formula(archives []artifact) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "class Strata < Formula\n  desc %q\n  homepage %q\n  version %q\n  license \"Apache-2.0\"\n", short, "https://"+o.Module, strings.TrimPrefix(o.Version, "v"))
	for _, system := range []struct{ name, os string }{{"macos", "darwin"}, {"linux", "linux"}} {
		fmt.Fprintf(&b, "\n  on_%s do\n", system.name)
		for _, machine := range []struct{ name, arch string }{{"arm", "arm64"}, {"intel", "amd64"}} {
			for _, a := range archives {
				if a.platform == (Platform{system.os, machine.arch}) {
					fmt.Fprintf(&b, "    on_%s do\n      url %q\n      sha256 %q\n    end\n", machine.name, o.download(a.name), a.sum)
				}
			}
		}
		b.WriteString("  end\n")
	}
	b.WriteString("\n  def install\n")
	for _, p := range o.Programs {
		fmt.Fprintf(&b, "    bin.install %q\n", p.Name)
	}
	name := o.Programs[0].Name
	fmt.Fprintf(&b, "    man1.install Dir[\"man/man1/*\"]\n    bash_completion.install \"completions/%[1]s.bash\" => %[1]q\n    fish_completion.install \"completions/%[1]s.fish\"\n    zsh_completion.install \"completions/_%[1]s\"\n  end\n\n", name)
	fmt.Fprintf(&b, "  test do\n    assert_match version.to_s, shell_output(\"#{bin}/%s --version\")\n  end\nend\n", name)
	return []byte(b.String())
}
