package main

import (
	"fmt"
	"os"
	"os/exec"
	"time"
)

// startKwok lets KWOK be the kubelet of all nodes: a bound pod runs and is Ready, a deleted one is gone, after the times the
// scenario gives for all pods. The stand-in in this program then does nothing but keep the nodes' names.
func (p *plane) startKwok(binary string, timing timing) error {
	files := map[string]string{"kwok.kubeconfig": p.kubeconfig(userKubelet), "stages.yaml": kwokStages(timing.start(""), timing.stop(""))}
	for name, text := range files {
		if err := os.WriteFile(p.file(name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	// KWOK does not watch its standard input, so a shell does that for it.
	const untilClosed = `"$@" </dev/null & pid=$!; cat >/dev/null; kill -9 $pid; wait $pid 2>/dev/null`
	return p.run("kwok", exec.Command("/bin/sh", "-c", untilClosed, "kwok", binary,
		"--kubeconfig="+p.file("kwok.kubeconfig"), "--config="+p.file("stages.yaml"), "--manage-all-nodes=true",
		fmt.Sprintf("--node-lease-duration-seconds=%d", leaseSeconds)))
}

// idle makes the stand-in leave pods and leases to somebody else. The observer still asks it whether anything is pending.
func (k *kubelet) idle() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.resting = true
}

// kwokStages are the two steps of a pod's life that matter here. Pods that already run are left as they were loaded.
func kwokStages(start, stop time.Duration) string {
	return fmt.Sprintf(`apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: node-ready}
spec:
  resourceRef: {apiGroup: v1, kind: Node}
  selector:
    matchExpressions:
    - {key: '.status.conditions.[] | select( .type == "Ready" ) | .status', operator: NotIn, values: ["True"]}
  next:
    statusTemplate: |
      conditions:
      - {type: Ready, status: "True", reason: KubeletReady, lastHeartbeatTime: {{ Now | Quote }}, lastTransitionTime: {{ Now | Quote }}}
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: pod-ready}
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  selector:
    matchExpressions:
    - {key: .metadata.deletionTimestamp, operator: DoesNotExist}
    - {key: .spec.nodeName, operator: Exists}
    - {key: .status.podIP, operator: DoesNotExist}
    - {key: .status.phase, operator: In, values: [Pending]}
  delay: {durationMilliseconds: %d}
  next:
    statusTemplate: |
      {{ $now := Now }}
      phase: Running
      startTime: {{ $now | Quote }}
      hostIP: 10.100.0.1
      podIP: {{ PodIP | Quote }}
      conditions:
      {{ range $kind := list "Initialized" "ContainersReady" "Ready" }}
      - {type: {{ $kind }}, status: "True", lastTransitionTime: {{ $now | Quote }}}
      {{ end }}
      containerStatuses:
      {{ range .spec.containers }}
      - {name: {{ .name | Quote }}, image: {{ .image | Quote }}, imageID: "", ready: true, started: true, restartCount: 0, state: {running: {startedAt: {{ $now | Quote }}}}}
      {{ end }}
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: pod-gone}
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  selector:
    matchExpressions:
    - {key: .metadata.deletionTimestamp, operator: Exists}
  delay: {durationMilliseconds: %d}
  next: {delete: true}
`, start.Milliseconds(), stop.Milliseconds())
}
