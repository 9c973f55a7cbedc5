// Package duplicates finds code that the workspace has twice. Its test allows no two places to
// share more than twelve lines. Linters such as dupl compare the files of one package only, but
// most copies in this workspace were in two packages.
//
// It compares lines without indentation and comments. Generated code, imports, texts of several
// lines and the rows of tables do not count.
package duplicates
