// Package webhook runs the worked example's conversion webhook, built from the workspace, as a process of its own on
// loopback. What it serves with is for the flags of strata-webhook to say.
package webhook
