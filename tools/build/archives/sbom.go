package archives

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // SPDX requires it beside SHA-256
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// The types of SPDX 2.3, as far as a list of modules needs them.
type (
	spdxDocument struct {
		SPDXVersion       string             `json:"spdxVersion"`
		DataLicense       string             `json:"dataLicense"`
		SPDXID            string             `json:"SPDXID"`
		Name              string             `json:"name"`
		DocumentNamespace string             `json:"documentNamespace"`
		CreationInfo      spdxCreation       `json:"creationInfo"`
		Packages          []spdxPackage      `json:"packages"`
		Files             []spdxFile         `json:"files"`
		Relationships     []spdxRelationship `json:"relationships"`
	}
	spdxCreation struct {
		Created  string   `json:"created"`
		Creators []string `json:"creators"`
	}
	spdxChecksum struct {
		Algorithm string `json:"algorithm"`
		Value     string `json:"checksumValue"`
	}
	spdxReference struct {
		Category string `json:"referenceCategory"`
		Type     string `json:"referenceType"`
		Locator  string `json:"referenceLocator"`
	}
	spdxPackage struct {
		SPDXID           string          `json:"SPDXID"`
		Name             string          `json:"name"`
		VersionInfo      string          `json:"versionInfo"`
		FileName         string          `json:"packageFileName,omitempty"`
		DownloadLocation string          `json:"downloadLocation"`
		FilesAnalyzed    bool            `json:"filesAnalyzed"`
		LicenseConcluded string          `json:"licenseConcluded"`
		LicenseDeclared  string          `json:"licenseDeclared"`
		CopyrightText    string          `json:"copyrightText"`
		Checksums        []spdxChecksum  `json:"checksums,omitempty"`
		ExternalRefs     []spdxReference `json:"externalRefs,omitempty"`
	}
	spdxFile struct {
		SPDXID           string         `json:"SPDXID"`
		FileName         string         `json:"fileName"`
		FileTypes        []string       `json:"fileTypes"`
		Checksums        []spdxChecksum `json:"checksums"`
		LicenseConcluded string         `json:"licenseConcluded"`
		CopyrightText    string         `json:"copyrightText"`
	}
	spdxRelationship struct {
		Element string `json:"spdxElementId"`
		Type    string `json:"relationshipType"`
		Related string `json:"relatedSpdxElement"`
	}
)

const (
	spdxRoot    = "SPDXRef-DOCUMENT"
	noAssertion = "NOASSERTION"
)

// notInIDs matches what an identifier of SPDX cannot have.
var notInIDs = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

// sbom lists the modules that the programs of an archive are built of, as the programs state them.
func (o Options) sbom(a artifact) ([]byte, error) {
	doc := spdxDocument{
		SPDXVersion: "SPDX-2.3", DataLicense: "CC0-1.0", SPDXID: spdxRoot, Name: a.name,
		DocumentNamespace: "https://" + o.Module + "/spdx/" + a.name + "-" + a.sum,
		CreationInfo:      spdxCreation{Created: o.Time.UTC().Format("2006-01-02T15:04:05Z"), Creators: []string{"Tool: strata-mage-release-archives", "Organization: Strata"}},
	}
	archive := spdxPackage{
		SPDXID: "SPDXRef-Archive", Name: "strata", VersionInfo: o.Version, FileName: a.name,
		DownloadLocation: o.download(a.name), LicenseConcluded: "Apache-2.0", LicenseDeclared: "Apache-2.0", CopyrightText: noAssertion,
		Checksums: []spdxChecksum{{"SHA256", a.sum}},
	}
	doc.Packages = append(doc.Packages, archive)
	relate := func(element, kind, related string) {
		doc.Relationships = append(doc.Relationships, spdxRelationship{element, kind, related})
	}
	relate(spdxRoot, "DESCRIBES", archive.SPDXID)
	modules := map[string]string{} // identifiers, by module and version
	for _, p := range a.programs {
		info, err := buildinfo.Read(bytes.NewReader(p.body))
		if err != nil {
			return nil, fmt.Errorf("read the modules of %s: %w", p.name, err)
		}
		sum1 := sha1.Sum(p.body) //nolint:gosec // see above
		file := spdxFile{
			SPDXID: "SPDXRef-File-" + notInIDs.ReplaceAllString(p.name, "-"), FileName: "./" + p.name, FileTypes: []string{"BINARY"},
			Checksums:        []spdxChecksum{{"SHA1", hex.EncodeToString(sum1[:])}, {"SHA256", sumOf(p.body)}},
			LicenseConcluded: noAssertion, CopyrightText: noAssertion,
		}
		doc.Files = append(doc.Files, file)
		relate(archive.SPDXID, "CONTAINS", file.SPDXID)
		for _, m := range o.modulesOf(info) {
			id := "SPDXRef-Module-" + notInIDs.ReplaceAllString(m.path+"-"+m.version, "-")
			if modules[m.path+"@"+m.version] == "" {
				modules[m.path+"@"+m.version] = id
				doc.Packages = append(doc.Packages, spdxPackage{
					SPDXID: id, Name: m.path, VersionInfo: m.version, DownloadLocation: noAssertion,
					LicenseConcluded: noAssertion, LicenseDeclared: noAssertion, CopyrightText: noAssertion,
					ExternalRefs: []spdxReference{{"PACKAGE-MANAGER", "purl", "pkg:golang/" + m.path + "@" + strings.ReplaceAll(m.version, "+", "%2B")}},
				})
			}
			relate(file.SPDXID, "STATIC_LINK", id)
		}
	}
	return encoded(doc)
}

type module struct{ path, version string }

// modulesOf returns the modules of a program, with the standard library. Those of this repository
// have the version of the release.
func (o Options) modulesOf(info *buildinfo.BuildInfo) []module {
	out := []module{{"stdlib", strings.TrimPrefix(info.GoVersion, "go")}, {info.Main.Path, o.Version}}
	for _, d := range info.Deps {
		version := d.Version
		if d.Replace != nil {
			version = d.Replace.Version
		}
		if d.Path == o.Module || strings.HasPrefix(d.Path, o.Module+"/") {
			version = o.Version
		}
		out = append(out, module{d.Path, version})
	}
	slices.SortFunc(out, func(a, b module) int { return strings.Compare(a.path+"@"+a.version, b.path+"@"+b.version) })
	return out
}

// encoded returns a document as JSON.
func encoded(document any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(document)
	return out.Bytes(), err
}
