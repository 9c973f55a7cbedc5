// Package controller has the controllers of this project.
package controller
