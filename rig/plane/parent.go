package main

import (
	"io"
	"os"
)

// dieWithParent ends this process when its standard input closes. The parent holds the other end of the pipe, so a
// parent that is killed takes its planes with it, on any system and without a race over which thread forked.
func dieWithParent() {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
}
