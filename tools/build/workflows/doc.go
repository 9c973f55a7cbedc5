// Package workflows has the tests of the workflows in .github: actionlint finds nothing in them,
// their steps are targets of mage, their actions are pinned, and they have few rights.
package workflows
