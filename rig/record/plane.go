package main

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"k8s.io/client-go/rest"
)

// plane is one control plane: its own folder, its own ports on loopback, its own processes. A recording never shares one.
type plane struct {
	binary  string
	dir     string
	ports   map[string]int
	parts   []*part
	verbose bool
}

// part is one process of the plane. It ends when its standard input closes, so it cannot outlive the recorder.
type part struct {
	name    string
	command *exec.Cmd
	stdin   io.WriteCloser
	log     *os.File
	done    chan struct{}
}

const (
	// The names clients log in under; the audit log tells them apart.
	userRecorder = "holdfast:recorder"
	userKubelet  = "holdfast:kubelet"
)

func newPlane(binary string) (*plane, error) {
	dir, err := os.MkdirTemp("", "holdfast-rig-")
	if err != nil {
		return nil, err
	}
	p := &plane{binary: binary, dir: dir, ports: map[string]int{}}
	for _, name := range []string{"etcd", "peer", "api", "scheduler", "controllers"} {
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		p.ports[name] = port
	}
	return p, p.writeFiles()
}

// startServer brings up etcd and the API server alone: a cluster is loaded before any controller can act on it.
func (p *plane) startServer(ctx context.Context) error {
	etcd := fmt.Sprintf("http://127.0.0.1:%d", p.ports["etcd"])
	if err := p.start("etcd", "--data-dir", filepath.Join(p.dir, "etcd"), "--client", etcd,
		"--peer", fmt.Sprintf("http://127.0.0.1:%d", p.ports["peer"])); err != nil {
		return err
	}
	if err := p.waitFor(ctx, "etcd", etcd+"/health"); err != nil {
		return err
	}
	if err := p.start("kube-apiserver",
		"--etcd-servers="+etcd,
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", p.ports["api"]),
		"--cert-dir="+filepath.Join(p.dir, "certs"),
		"--token-auth-file="+p.file("tokens.csv"),
		"--authorization-mode=AlwaysAllow",
		"--service-cluster-ip-range=10.96.0.0/16",
		"--service-account-issuer=https://rig.holdfast.dev",
		"--service-account-key-file="+p.file("sa.key"),
		"--service-account-signing-key-file="+p.file("sa.key"),
		"--disable-admission-plugins=ServiceAccount",
		"--endpoint-reconciler-type=none",
		"--enable-priority-and-fairness=false",
		"--audit-policy-file="+p.file("audit-policy.yaml"),
		"--audit-log-path="+p.file("audit.log"),
		"--audit-log-mode=blocking",
	); err != nil {
		return err
	}
	return p.waitFor(ctx, "kube-apiserver", p.url("api")+"/readyz")
}

// startControllers brings up the scheduler, with its default profile, and the controller manager.
func (p *plane) startControllers(ctx context.Context, extra []string) error {
	if err := p.start("kube-scheduler",
		"--kubeconfig="+p.file("scheduler.kubeconfig"),
		"--leader-elect=false",
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", p.ports["scheduler"]),
		"--authentication-skip-lookup=true",
		"--authentication-tolerate-lookup-failure=true",
	); err != nil {
		return err
	}
	if err := p.start("kube-controller-manager", append([]string{
		"--kubeconfig=" + p.file("controllers.kubeconfig"),
		"--leader-elect=false",
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", p.ports["controllers"]),
		"--authentication-skip-lookup=true",
		"--authentication-tolerate-lookup-failure=true",
		"--controllers=*,-serviceaccount-controller,-serviceaccount-token-controller,-root-ca-certificate-publisher-controller",
		"--kube-api-qps=200",
		"--kube-api-burst=400",
	}, extra...)...); err != nil {
		return err
	}
	if err := p.waitFor(ctx, "kube-scheduler", p.url("scheduler")+"/healthz"); err != nil {
		return err
	}
	return p.waitFor(ctx, "kube-controller-manager", p.url("controllers")+"/healthz")
}

// stop ends every part by its process id, last started first, and removes the folder.
func (p *plane) stop() {
	for i := len(p.parts) - 1; i >= 0; i-- {
		part := p.parts[i]
		if part.name == "kwok" {
			_ = part.stdin.Close()
		} else {
			_ = part.command.Process.Signal(syscall.SIGTERM)
		}
		if i < 2 {
			// Nothing in the API server or in etcd is worth a graceful end.
			_ = part.command.Process.Kill()
		}
		select {
		case <-part.done:
		case <-time.After(2 * time.Second):
			_ = part.command.Process.Kill()
			<-part.done
		}
		_ = part.stdin.Close()
		_ = part.log.Close()
	}
	if os.Getenv("HOLDFAST_RIG_KEEP") == "" {
		_ = os.RemoveAll(p.dir)
	}
}

func (p *plane) config(user string) *rest.Config {
	return &rest.Config{
		Host:            p.url("api"),
		BearerToken:     token(user),
		TLSClientConfig: rest.TLSClientConfig{Insecure: true},
		QPS:             1000,
		Burst:           2000,
		UserAgent:       user,
	}
}

func (p *plane) auditLog() string { return p.file("audit.log") }

func (p *plane) file(name string) string { return filepath.Join(p.dir, name) }

func (p *plane) url(name string) string { return fmt.Sprintf("https://127.0.0.1:%d", p.ports[name]) }

func (p *plane) start(name string, args ...string) error {
	return p.run(name, exec.Command(p.binary, append([]string{name}, args...)...))
}

func (p *plane) run(name string, command *exec.Cmd) error {
	stdin, err := command.StdinPipe()
	if err != nil {
		return err
	}
	log, err := os.Create(p.file(name + ".log"))
	if err != nil {
		return err
	}
	command.Stdout, command.Stderr = log, log
	if err := command.Start(); err != nil {
		return err
	}
	started := &part{name: name, command: command, stdin: stdin, log: log, done: make(chan struct{})}
	go func() {
		_ = command.Wait()
		close(started.done)
	}()
	p.parts = append(p.parts, started)
	return nil
}

// waitFor asks until the part answers 200, or says how the part ended.
func (p *plane) waitFor(ctx context.Context, name, url string) error {
	client := &http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	defer client.CloseIdleConnections()
	deadline := time.Now().Add(90 * time.Second)
	for time.Now().Before(deadline) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "Bearer "+token(userRecorder))
		response, err := client.Do(request)
		if err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-p.ended(name):
			return fmt.Errorf("%s ended while starting: %s", name, p.tail(name))
		case <-time.After(100 * time.Millisecond):
		}
	}
	return fmt.Errorf("%s did not answer at %s within 90s: %s", name, url, p.tail(name))
}

func (p *plane) ended(name string) <-chan struct{} {
	for _, part := range p.parts {
		if part.name == name {
			return part.done
		}
	}
	return nil
}

func (p *plane) tail(name string) string {
	text, _ := os.ReadFile(p.file(name + ".log"))
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) > 5 {
		lines = lines[len(lines)-5:]
	}
	return strings.Join(lines, "\n")
}

func (p *plane) writeFiles() error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	block := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	users := []string{userRecorder, userKubelet, "system:kube-scheduler", "system:kube-controller-manager"}
	var tokens strings.Builder
	for i, user := range users {
		fmt.Fprintf(&tokens, "%s,%s,%d,\"system:masters\"\n", token(user), user, i+1)
	}
	files := map[string]string{
		"sa.key":                 string(block),
		"tokens.csv":             tokens.String(),
		"audit-policy.yaml":      auditPolicy,
		"scheduler.kubeconfig":   p.kubeconfig("system:kube-scheduler"),
		"controllers.kubeconfig": p.kubeconfig("system:kube-controller-manager"),
	}
	for name, text := range files {
		if err := os.WriteFile(p.file(name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (p *plane) kubeconfig(user string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: rig, cluster: {server: %q, insecure-skip-tls-verify: true}}]
users: [{name: rig, user: {token: %q}}]
contexts: [{name: rig, context: {cluster: rig, user: rig}}]
current-context: rig
`, p.url("api"), token(user))
}

// auditPolicy keeps who made and deleted pods: the only place where a plain delete has a name.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules:
- level: Metadata
  verbs: [create, delete, deletecollection]
  resources: [{group: "", resources: [pods, pods/eviction]}]
- level: None
`

func token(user string) string { return strings.ReplaceAll(user, ":", "-") }

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}
