// Command plane is a whole Kubernetes control plane in one file: started under one of four names it is etcd, the API
// server, the scheduler or the controller manager, unchanged, from their own modules. It ends when its standard input closes.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

const usage = "usage: plane etcd|kube-apiserver|kube-scheduler|kube-controller-manager [flags]"

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, usage)
		os.Exit(2)
	}
	name := os.Args[1]
	os.Args = append([]string{name}, os.Args[2:]...)
	switch name {
	case "etcd":
		os.Exit(runEtcd(os.Args[1:]))
	case "kube-apiserver":
		os.Exit(run(apiserver.NewAPIServerCommand()))
	case "kube-scheduler":
		os.Exit(run(scheduler.NewSchedulerCommand()))
	case "kube-controller-manager":
		os.Exit(run(controllermanager.NewControllerManagerCommand()))
	default:
		fmt.Fprintln(os.Stderr, usage)
		os.Exit(2)
	}
}

func run(command *cobra.Command) int {
	dieWithParent()
	return cli.Run(command)
}
