// Package workflows has the tests of the workflows in .github: actionlint finds nothing in them,
// their events and steps are listed, the steps are targets of mage without conditions but for the
// upload of a report, their actions are pinned, and they have few rights and no secrets.
package workflows
