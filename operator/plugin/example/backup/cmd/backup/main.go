// Command backup saves and restores items. Its plugins are those of a folder with a lock file,
// which strata-plugin verify --write writes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/stratakube/strata/operator/plugin/host"
	"github.com/stratakube/strata/operator/plugin/lock"

	"example.com/backup"
)

func main() {
	plugins := flag.String("plugins", "plugins", "the folder of the plugins")
	folder := flag.String("folder", ".", "the folder of the store")
	flag.Parse()
	if err := run(context.Background(), *plugins, *folder, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, plugins, folder string, words []string) error {
	locked, err := lock.Load(plugins)
	if err != nil {
		return err
	}
	h, err := host.Open(host.Options{Plugins: locked})
	if err != nil {
		return err
	}
	defer h.Stop(ctx)
	tool, err := backup.Open(ctx, h, "folder", map[string]string{"folder": folder}, "mark")
	if err != nil {
		return err
	}
	return do(ctx, tool, words)
}

func do(ctx context.Context, tool *backup.Tool, words []string) error {
	switch {
	case len(words) == 3 && words[0] == "save":
		body, err := io.ReadAll(os.Stdin)
		if err != nil {
			return err
		}
		return tool.Save(ctx, words[1], words[2], body)
	case len(words) == 3 && words[0] == "restore":
		return tool.Restore(ctx, words[1], words[2], os.Stdout)
	case len(words) == 2 && words[0] == "list":
		return tool.Print(ctx, words[1], os.Stdout)
	}
	return errors.New("want save BACKUP KEY, restore BACKUP KEY or list BACKUP")
}
