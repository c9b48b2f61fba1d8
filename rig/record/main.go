// Command record plays a scenario on a real Kubernetes control plane and writes down what happened.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
)

const usage = `usage: record --plane BINARY --cluster cluster.yaml --scenario scenario.yaml --out trace.json
       record --plane BINARY [--kwok BINARY] --root test/recordings [--into FOLDER] [--keep-going] [--with-parent] NAME...`

func main() {
	plane := flag.String("plane", "", "the control plane's binary")
	cluster := flag.String("cluster", "", "objects to load, pods already placed")
	scenario := flag.String("scenario", "", "what to play")
	out := flag.String("out", "", "where the trace goes")
	kwok := flag.String("kwok", "", "KWOK's binary, to be the kubelet in place of the stand-in")
	root := flag.String("root", "", "folder of recordings, for recording by name")
	into := flag.String("into", "", "folder for the traces, <name>.json each; without it they replace those under --root")
	withParent := flag.Bool("with-parent", false, "end when standard input closes, as it does when the parent ends")
	keepGoing := flag.Bool("keep-going", false, "go on after a recording that failed")
	flag.Parse()
	// What client-go tells on the way is of no use to a person.
	klog.SetLogger(klog.Logger{})
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if *withParent {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			stop()
		}()
	}
	if *plane == "" || (*root == "") == (*cluster == "" || *scenario == "" || *out == "") {
		fmt.Fprintln(os.Stderr, usage)
		os.Exit(2)
	}
	var failed error
	if *root == "" {
		failed = record(ctx, *plane, *kwok, *cluster, *scenario, *out)
	}
	for _, name := range flag.Args() {
		folder := filepath.Join(*root, name)
		target := filepath.Join(folder, "trace.json")
		if *into != "" {
			target = filepath.Join(*into, name+".json")
		}
		if err := record(ctx, *plane, *kwok, filepath.Join(folder, "cluster.yaml"), filepath.Join(folder, "scenario.yaml"), target); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", name, err))
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
			if !*keepGoing || ctx.Err() != nil {
				break
			}
		}
	}
	if failed != nil {
		fmt.Fprintln(os.Stderr, failed)
		os.Exit(1)
	}
}

// record makes one recording on a plane of its own.
func record(parent context.Context, binary, kwok, cluster, scenarioFile, out string) error {
	began := time.Now()
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	script, err := readScenario(scenarioFile)
	if err != nil {
		return err
	}
	fmt.Printf("%s\n", script.Metadata.Name)
	p, err := newPlane(binary)
	if err != nil {
		return err
	}
	defer p.stop()
	if err := p.startServer(ctx); err != nil {
		return err
	}
	things, err := newObjects(p.config(userRecorder))
	if err != nil {
		return err
	}
	if err := things.load(ctx, cluster); err != nil {
		return err
	}
	ofKubelet, err := kubernetes.NewForConfig(p.config(userKubelet))
	if err != nil {
		return err
	}
	kubelet := newKubelet(ofKubelet, script.Spec.Timing)
	observer := newObserver(kubelet)
	if err := observer.watch(ctx, ofKubelet); err != nil {
		return err
	}
	observer.begin()
	if kwok == "" {
		go kubelet.renewLeases(ctx)
	} else {
		kubelet.idle()
		if err := p.startKwok(kwok, script.Spec.Timing); err != nil {
			return err
		}
	}
	if err := p.startControllers(ctx, script.controllerFlags()); err != nil {
		return err
	}
	if err := observer.settle(ctx); err != nil {
		return err
	}
	player, err := newPlayer(script, p.config(userRecorder), things, observer, kubelet)
	if err != nil {
		return err
	}
	version, err := ofKubelet.Discovery().ServerVersion()
	if err != nil {
		return err
	}
	result := &trace{scenario: script, kubernetes: version.GitVersion, start: observer.state(), begun: time.Now()}
	if err := player.play(ctx); err != nil {
		return err
	}
	if result.deletions, err = readDeletions(p.auditLog()); err != nil {
		return err
	}
	result.end, result.steps = observer.state(), player.steps
	observer.mu.Lock()
	result.events, result.rename = observer.events, observer.names.rewriter()
	observer.mu.Unlock()
	if err := result.write(out); err != nil {
		return err
	}
	fmt.Printf("  %d events in %.0f s, recorded in %.0f s\n", len(result.events), result.seconds(result.steps, time.Time{}), time.Since(began).Seconds())
	return nil
}

// settle waits until the controllers have taken the cluster over: every Service has its slices, every budget its status,
// and nothing happened for a while.
func (o *observer) settle(ctx context.Context) error {
	const calm = 2500 * time.Millisecond
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); {
		o.mu.Lock()
		taken := len(o.endpoints) == len(o.services)
		for _, budget := range o.budgets {
			taken = taken && len(budget.Status.Conditions) > 0
		}
		o.mu.Unlock()
		if taken && o.rested(calm) {
			return nil
		}
		if err := sleep(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
	return errors.New("the controllers did not settle within 2 minutes")
}
