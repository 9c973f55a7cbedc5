package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chromedp/chromedp"

	"github.com/stratakube/strata/tools/build/browser"
	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/site"
)

// The program that renders diagrams, as npm packs it, and the digest of its file.
const (
	mermaidPackage = "mermaid@11.17.2"
	mermaidFile    = "package/dist/mermaid.min.js"
	mermaidDigest  = "581ed7d74bd9048d0e3a91363927d72ef22942d7722546b27f7cc29e35390eb8"
)

// themes are those of mermaid for the colors of pictures.
var themes = map[string]string{site.Light: "default", site.Dark: "dark"}

// render draws a diagram and returns well-formed XML.
const render = `(async (text, theme, id) => {
  mermaid.initialize({startOnLoad: false, theme, securityLevel: "strict", deterministicIds: true, fontFamily: "system-ui, DejaVu Sans, sans-serif"});
  const {svg} = await mermaid.render(id, text);
  const page = new DOMParser().parseFromString(svg, "text/html");
  return new XMLSerializer().serializeToString(page.querySelector("svg"));
})(%q, %q, %q)`

// update renders the diagrams of all pages that have no picture yet, and removes pictures without
// a diagram. It needs npm and Chromium. It returns the files that it wrote or removed, below the
// root.
func update(ctx context.Context, root string) ([]string, error) {
	wanted, err := site.Pictures(root)
	if err != nil {
		return nil, err
	}
	changed, err := removeOthers(root, wanted)
	if err != nil {
		return nil, err
	}
	session, err := site.RenderSession(root)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(site.Session)), session, 0o644); err != nil {
		return nil, err
	}
	missing := slices.DeleteFunc(wanted, func(p site.Picture) bool {
		_, err := os.Stat(filepath.Join(root, filepath.FromSlash(p.File)))
		return err == nil
	})
	if len(missing) == 0 {
		return changed, nil
	}
	script, err := mermaidScript(ctx)
	if err != nil {
		return nil, err
	}
	tab, end, err := browser.Start(ctx)
	if err != nil {
		return nil, fmt.Errorf("render diagrams: %w", err)
	}
	defer end()
	if err := chromedp.Do(tab, chromedp.Navigate("about:blank"), chromedp.Evaluate[chromedp.Void](script)); err != nil {
		return nil, fmt.Errorf("load mermaid: %w", err)
	}
	for _, p := range missing {
		call := chromedp.Evaluate[string](fmt.Sprintf(render, p.Text, themes[p.Color], p.ID), chromedp.EvalAwaitPromise)
		svg, err := chromedp.Run(tab, call)
		if err != nil {
			return nil, fmt.Errorf("render %s: %w\n%s", p.File, err, p.Text)
		}
		file := filepath.Join(root, filepath.FromSlash(p.File))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(file, []byte(svg+"\n"), 0o644); err != nil {
			return nil, err
		}
		changed = append(changed, p.File)
	}
	return changed, nil
}

// removeOthers removes the pictures that no diagram has.
func removeOthers(root string, wanted []site.Picture) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(root, "docs", "pictures", "*.svg"))
	if err != nil {
		return nil, err
	}
	var removed []string
	for _, file := range files {
		name := "docs/pictures/" + filepath.Base(file)
		if name == site.Session || slices.ContainsFunc(wanted, func(p site.Picture) bool { return p.File == name }) {
			continue
		}
		if err := os.Remove(file); err != nil {
			return nil, err
		}
		removed = append(removed, name)
	}
	return removed, nil
}

// mermaidScript downloads the program that renders diagrams, and checks its digest.
func mermaidScript(ctx context.Context) (script string, err error) {
	work, err := os.MkdirTemp("", "strata-mermaid-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	npm := command.In{Dir: work}
	if _, err := npm.Output(ctx, "npm", "pack", "--silent", mermaidPackage); err != nil {
		return "", fmt.Errorf("download %s, which renders diagrams: %w", mermaidPackage, err)
	}
	packed, err := os.ReadFile(filepath.Join(work, strings.Replace(mermaidPackage, "@", "-", 1)+".tgz"))
	if err != nil {
		return "", err
	}
	content, err := fileOf(packed, mermaidFile)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", mermaidPackage, err)
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != mermaidDigest {
		return "", fmt.Errorf("%s of %s has the digest %x, and not %s", mermaidFile, mermaidPackage, sum, mermaidDigest)
	}
	return string(content), nil
}

// fileOf returns a file of a compressed archive.
func fileOf(packed []byte, name string) ([]byte, error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	for archive := tar.NewReader(unzipped); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("there is no file %s", name)
		}
		if err != nil {
			return nil, err
		}
		if header.Name == name {
			return io.ReadAll(archive)
		}
	}
}
