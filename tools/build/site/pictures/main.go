// Command pictures renders the diagrams of the documentation for its site: each diagram without a
// picture gets one in light and in dark colors, and pictures without a diagram are removed. It
// needs npm, which brings mermaid, and Chromium. The target docs:pictures runs it in the root.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	changed, err := update(ctx, ".")
	stop()
	for _, file := range changed {
		fmt.Println(file)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if len(changed) == 0 {
		fmt.Println("each diagram has its picture")
	}
}
