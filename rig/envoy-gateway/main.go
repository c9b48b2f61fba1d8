// Command envoy-gateway is the Envoy Gateway controller itself, unchanged, from its own module. As a server it ends when its
// standard input closes, so that it cannot outlive whoever started it.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/envoyproxy/gateway/cmd/envoy-gateway/root"
	ctrl "sigs.k8s.io/controller-runtime"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "server" {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			os.Exit(0)
		}()
	}
	if err := root.GetRootCommand(nil).ExecuteContext(ctrl.SetupSignalHandler()); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
