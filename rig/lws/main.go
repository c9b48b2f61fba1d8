// Command lws is the LeaderWorkerSet controller with its webhooks, unchanged, from its own module: its own command listens on
// every address and takes its certificate from a Secret, this one listens on loopback with a certificate it makes. It ends
// when its standard input closes, so that it cannot outlive whoever started it.
package main

import (
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/util/cert"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	leaderworkersetv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"
	"sigs.k8s.io/lws/pkg/controllers"
	"sigs.k8s.io/lws/pkg/webhooks"
)

const host = "127.0.0.1"

func main() {
	port := flag.Int("webhook-port", 0, "where the webhooks listen on loopback")
	certs := flag.String("cert-dir", "", "folder that tls.crt and tls.key are written to")
	flag.Parse()
	ctrl.SetLogger(zap.New())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	if err := run(*port, *certs); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(port int, certs string) error {
	if err := writeCertificate(certs); err != nil {
		return err
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, leaderworkersetv1.AddToScheme} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 500, 500
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:        scheme,
		Metrics:       metricsserver.Options{BindAddress: "0"},
		WebhookServer: webhook.NewServer(webhook.Options{Host: host, Port: port, CertDir: certs}),
	})
	if err != nil {
		return err
	}
	if err := setUp(manager); err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}

func setUp(manager ctrl.Manager) error {
	if err := controllers.SetupIndexes(manager.GetFieldIndexer()); err != nil {
		return err
	}
	client, scheme, events := manager.GetClient(), manager.GetScheme(), manager.GetEventRecorder("leaderworkerset")
	if err := controllers.NewLeaderWorkerSetReconciler(client, scheme, events).SetupWithManager(manager); err != nil {
		return err
	}
	if err := controllers.NewPodReconciler(client, scheme, events, nil).SetupWithManager(manager); err != nil {
		return err
	}
	if err := webhooks.SetupLeaderWorkerSetWebhook(manager); err != nil {
		return err
	}
	return webhooks.NewPodWebhook(nil).Setup(manager)
}

func writeCertificate(folder string) error {
	certificate, key, err := cert.GenerateSelfSignedCertKey(host, []net.IP{net.ParseIP(host)}, nil)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "tls.crt"), certificate, 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "tls.key"), key, 0o600)
}
