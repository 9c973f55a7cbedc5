package kindcli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/host"
	"github.com/stratakube/strata/operator/plugin/internal/commandline"
	"github.com/stratakube/strata/operator/plugin/internal/protofiles"
	"github.com/stratakube/strata/operator/plugin/lock"
)

// row is a line of the list, and an object of its JSON.
type row struct {
	Kind     string `json:"kind"`
	Name     string `json:"name"`
	Versions []int  `json:"versions"`         // of the plugin, ascending
	Newest   int    `json:"newest,omitempty"` // of the project; 0 for a kind that it does not define
	Digest   string `json:"digest,omitempty"`
	Program  string `json:"program"`
}

// runList lists the plugins of a folder by the kinds that the project's protobuf files define.
func runList(ctx context.Context, args []string, s commandline.Streams) error {
	folder, format := ".", "table"
	p, words, err := project(args, func(f *flag.FlagSet) { f.StringVar(&format, "o", format, "") })
	switch {
	case err != nil:
		return err
	case format != "table" && format != "json":
		return fmt.Errorf("-o %s: want table or json", format)
	case len(words) > 1:
		return errors.New("want one folder of plugins, as in plugins")
	case len(words) == 1:
		folder = words[0]
	}
	image, err := p.Image(ctx)
	if err != nil {
		return err
	}
	newest, err := protofiles.Newest(image)
	if err != nil {
		return err
	}
	plugins, err := lock.Load(folder)
	if errors.Is(err, fs.ErrNotExist) {
		plugins, err = lock.Programs(folder)
	}
	if err != nil {
		return err
	}
	rows := []row{}
	for _, plugin := range plugins {
		served, err := ask(ctx, plugin)
		if err != nil {
			return err
		}
		rows = append(rows, rowsOf(plugin, served, newest)...)
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name)) })
	if format == "json" {
		encoder := json.NewEncoder(s.Out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(rows)
	}
	return printTable(s.Out, rows)
}

// ask starts a program as hosts do, and returns what it serves.
func ask(ctx context.Context, p host.Plugin) ([]contract.Served, error) {
	h, err := host.Open(host.Options{Plugins: []host.Plugin{p}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	defer h.Stop(ctx)
	if err := h.Check(ctx); err != nil {
		return nil, err
	}
	return h.Served(), nil
}

// rowsOf returns a row for each name of a kind that a plugin serves.
func rowsOf(p host.Plugin, served []contract.Served, newest map[string]int) []row {
	var out []row
	for _, s := range served {
		i := slices.IndexFunc(out, func(r row) bool { return r.Kind == s.Kind && r.Name == s.Name })
		if i < 0 {
			i = len(out)
			out = append(out, row{Kind: s.Kind, Name: s.Name, Newest: newest[s.Kind], Digest: p.Digest, Program: filepath.Base(p.Path)})
		}
		out[i].Versions = append(out[i].Versions, s.Number)
	}
	for _, r := range out {
		slices.Sort(r.Versions)
	}
	return out
}

func printTable(w io.Writer, rows []row) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "KIND\tNAME\tVERSION\tUSED\tSHA-256\tPROGRAM")
	for _, r := range rows {
		fmt.Fprintf(table, "%s\t%s\tv%d\t%s\t%.12s\t%s\n", r.Kind, r.Name, r.Versions[len(r.Versions)-1], r.used(), r.Digest, r.Program)
	}
	return table.Flush()
}

// used says how a host of the project uses the plugin. Only the project's code knows whether a step
// between versions refuses to adapt it.
func (r row) used() string {
	switch {
	case r.Newest == 0:
		return "no: not a kind of this project"
	case slices.Contains(r.Versions, r.Newest):
		return "as it is"
	case r.Versions[0] > r.Newest:
		return fmt.Sprintf("no: newer than v%d of this project", r.Newest)
	}
	return fmt.Sprintf("adapted to v%d", r.Newest)
}
