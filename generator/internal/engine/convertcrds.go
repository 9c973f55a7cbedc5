package engine

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/stratakube/strata/generator/internal/conversion"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/syntax"
	"github.com/stratakube/strata/generator/internal/version"
)

// addCluster plans conversions between the versions of the CRDs in a cluster. CRDs that Strata has
// generated do not tell the renames of properties, so that objects of their kinds are refused.
// Neither those nor CRDs that cannot be understood affect other kinds.
func (r *ConvertRequest) addCluster(ctx context.Context, to *conversion.Plans, name string) error {
	r.Progress.Stage("reading CRDs", 0)
	text, err := r.Cluster(ctx, nil, append([]string{"crds"}, inCluster(name)...)...)
	if err != nil {
		return err
	}
	docs, err := clusterCRDs(text)
	if err != nil {
		return err
	}
	var others bytes.Buffer
	for _, d := range docs {
		if !isGenerated(d) {
			others.WriteString("---\n" + d.JSON() + "\n")
			continue
		}
		spec := d.Member("spec")
		var versions []string
		for _, v := range spec.Member("versions").All() {
			if !isHub(v) {
				versions = append(versions, v.Member("name").Text())
			}
		}
		to.Lacks(spec.Member("group").Text(), spec.Member("names").Member("kind").Text(), versions)
	}
	if others.Len() == 0 {
		return nil
	}
	return r.within(func(dir string) error {
		if err := os.WriteFile(filepath.Join(dir, "crds.yaml"), others.Bytes(), 0o600); err != nil {
			return err
		}
		lenient := *r
		lenient.Lenient = true
		return lenient.addCRDs(ctx, to, dir)
	})
}

// clusterCRDs reads the CRDs that strata cluster crds prints.
func clusterCRDs(text []byte) ([]*syntax.Value, error) {
	docs, err := syntax.Parse("crds.yaml", text, syntax.Limits{Size: 1 << 30, Depth: syntax.Default.Depth, Values: 1 << 28})
	if err != nil {
		return nil, diag.Errorf(diag.Pos{}, "strata cluster crds gave no YAML: %v", err).WithHint("install strata and strata-cluster of one release")
	}
	return docs, nil
}

// isGenerated reports whether a document is a CRD that Strata has generated.
func isGenerated(doc *syntax.Value) bool {
	return doc.Member("kind").Text() == "CustomResourceDefinition" && slices.ContainsFunc(doc.Member("spec").Member("versions").All(), isHub)
}

// isHub reports whether a version of a CRD is a hub: a storage version with the original version of
// objects.
func isHub(v *syntax.Value) bool {
	spec := v.Member("schema").Member("openAPIV3Schema").Member("properties").Member("spec").Member("properties")
	return v.Member("storage").IsTrue() && version.IsStorage(v.Member("name").Text()) && spec.Member(model.OriginalVersion) != nil
}

// refuseGenerated returns an error if a file or folder has a CRD of Strata. Files that are no YAML
// are left to what reads CRDs.
func refuseGenerated(source string) error {
	return filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path)) {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(text, []byte(model.OriginalVersion)) {
			return err
		}
		docs, err := syntax.Parse(path, text, syntax.Default)
		if err == nil && slices.ContainsFunc(docs, isGenerated) {
			return diag.Errorf(diag.InFile(path), "Strata has generated this CRD, which does not say how its versions correspond").
				WithHint("name the plans that strata generate has written beside the CRD:").WithPaste("  strata convert --from api/conversions ...\n")
		}
		return nil
	})
}
