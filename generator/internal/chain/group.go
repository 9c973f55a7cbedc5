package chain

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plaintext"
)

// Folder returns the folder of a provider, which is also the first part of its group:
// Microsoft.Batch is batch, Sendgrid.Email is sendgrid-email.
func Folder(provider string) string {
	s := strings.ToLower(provider)
	s = strings.TrimPrefix(s, "microsoft.")
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, s), "-")
}

// Folders are the folders of providers that do not have the default one, by provider in lower
// case.
type Folders map[string]string

// Of returns the folder of a provider.
func (f Folders) Of(provider string) string {
	if folder := f[strings.ToLower(provider)]; folder != "" {
		return folder
	}
	return Folder(provider)
}

// OfType returns the folder of a resource type's provider.
func (f Folders) OfType(resourceType string) string {
	provider, _, _ := strings.Cut(resourceType, "/")
	return f.Of(provider)
}

// notGroups are folders below the output folder that have another use, or that the go command
// treats specially.
var notGroups = []string{"ledger", "crds", "conversions", "histories", "reports", "internal", "vendor", "testdata"}

// maxFolder is the maximum length of a part of a group's name in Kubernetes.
const maxFolder = 63

// group returns the group of a provider, or nil if it cannot have one. stated is the group's
// complete name if the source states it, else empty.
func (l *linker) group(provider, stated string, pos model.Pos) *Group {
	const exclude = "exclude the provider's files"
	folder := l.opts.Folders.Of(provider)
	g := l.groups[folder]
	switch {
	case g != nil && !strings.EqualFold(g.Provider, provider):
		l.problem(pos, "exclude the files of one of them", "the providers %s and %s have the same group %s", g.Provider, provider, folder)
		return nil
	case g != nil:
		return g
	case Folder(provider) == "" || len(Folder(provider)) > maxFolder:
		l.problem(pos, exclude, "%q, of the provider %q, cannot be part of a group's name", Folder(provider), provider)
		return nil
	case slices.Contains(notGroups, folder), plaintext.IsDevice(folder):
		l.problem(pos, exclude, "the folder %s, of the provider %s, is kept for other things", folder, provider)
		return nil
	}
	g = &Group{Provider: provider, Folder: folder, Name: Folder(provider)}
	switch {
	case stated != "":
		g.Name = stated
	case l.opts.Suffix != "":
		g.Name += "." + l.opts.Suffix
	}
	l.groups[folder] = g
	l.chain.Groups = append(l.chain.Groups, g)
	return g
}
