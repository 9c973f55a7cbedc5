// Package server makes a process of the conversion webhook.
//
// It owns how that process lives: [Run] listens, is alive at once and ready when it can convert, and on its end first says
// that it is not ready, goes on serving while the news spreads, and then finishes what is under way. [Main] reads flags
// and calls Run; a webhook for other types is a main that calls it.
package server
