package cli

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"path/filepath"
	"text/tabwriter"

	"github.com/stratakube/strata/operator/plugin/host"
	"github.com/stratakube/strata/operator/plugin/internal/commandline"
	"github.com/stratakube/strata/operator/plugin/internal/kinds"
	"github.com/stratakube/strata/operator/plugin/lock"
)

// row is a line of the list, and an object of its JSON.
type row struct {
	Kind     string `json:"kind"`
	Name     string `json:"name"`
	Versions []int  `json:"versions"`         // of the plugin
	Native   int    `json:"native,omitempty"` // the one that is used
	Adapted  bool   `json:"adapted"`          // to the newest one of the host
	Digest   string `json:"digest"`
	Program  string `json:"program"`
	Refused  string `json:"refused,omitempty"` // why no version is used
}

func runList(ctx context.Context, args []string, s commandline.Streams) error {
	var folder, format string
	words, err := commandline.Flags(args, func(f *flag.FlagSet) {
		f.StringVar(&folder, "dir", "", "")
		f.StringVar(&format, "o", "table", "")
	})
	if err != nil {
		return err
	}
	if format != "table" && format != "json" {
		return fmt.Errorf("-o %s: want table or json", format)
	}
	if folder, err = oneFolder(folder, words); err != nil {
		return err
	}
	plugins, err := locked(folder)
	if err != nil {
		return err
	}
	h, err := open(plugins)
	if err != nil {
		return err
	}
	defer h.Stop(ctx)
	rows, err := list(ctx, h)
	if err != nil {
		return err
	}
	if format == "json" {
		return printJSON(s.Out, rows)
	}
	return printTable(s.Out, rows)
}

// locked returns the plugins of a folder: of its lock file, or else all programs, which must then
// be started to ask what they serve.
func locked(folder string) ([]host.Plugin, error) {
	plugins, err := lock.Load(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return lock.Programs(folder)
	}
	return plugins, err
}

func open(plugins []host.Plugin) (*host.Host, error) {
	return host.Open(host.Options{Plugins: plugins, Log: slog.New(slog.DiscardHandler)})
}

func list(ctx context.Context, h *host.Host) ([]row, error) {
	all, err := h.List(ctx, kinds.All...)
	if err != nil {
		return nil, err
	}
	rows := []row{}
	for _, r := range all {
		line := row{
			Kind: r.Kind, Name: r.Name, Versions: r.Versions, Native: r.Native, Adapted: r.IsAdapted(), Digest: r.Digest,
			Program: filepath.Base(r.Path),
		}
		if r.Err != nil {
			line.Refused = r.Err.Error()
		}
		rows = append(rows, line)
	}
	return rows, nil
}

func printJSON(w io.Writer, rows []row) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(rows)
}

func printTable(w io.Writer, rows []row) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "KIND\tNAME\tVERSION\tUSED\tSHA-256\tPROGRAM")
	for _, r := range rows {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%.12s\t%s\n", r.Kind, r.Name, r.version(), r.used(), r.Digest, r.Program)
	}
	return table.Flush()
}

// version returns the version that is used, or else the newest one of the plugin.
func (r row) version() string {
	if r.Native != 0 {
		return fmt.Sprintf("v%d", r.Native)
	}
	return fmt.Sprintf("v%d", r.Versions[len(r.Versions)-1])
}

func (r row) used() string {
	switch {
	case r.Refused != "":
		return "no: " + r.Refused
	case r.Adapted:
		return "adapted"
	}
	return "as it is"
}
