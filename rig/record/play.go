package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/kubectl/pkg/drain"
)

// player does the steps of a scenario one after the other, as a person with kubectl would.
type player struct {
	scenario *scenario
	config   *rest.Config
	client   kubernetes.Interface
	objects  *objects
	observer *observer
	kubelet  *kubelet
	steps    []stepDone
}

// stepDone is what became of a step.
type stepDone struct {
	step     step
	from, to time.Time
	outcome  string
	errors   []string
	nodes    []nodeDone
}

// nodeDone is what became of the drain of one node.
type nodeDone struct {
	node     string
	from, to time.Time
	outcome  string
	errors   []string
}

// maxStep ends any step: a recording has to end even where the plane goes round in circles.
const maxStep = 10 * time.Minute

func newPlayer(scenario *scenario, config *rest.Config, objects *objects, observer *observer, kubelet *kubelet) (*player, error) {
	p := &player{scenario: scenario, config: rest.CopyConfig(config), objects: objects, observer: observer, kubelet: kubelet}
	p.config.WrapTransport = func(next http.RoundTripper) http.RoundTripper { return &evictionTap{next: next, observer: observer} }
	client, err := kubernetes.NewForConfig(p.config)
	p.client = client
	return p, err
}

func (p *player) play(ctx context.Context) error {
	for i, change := range p.scenario.Spec.Changes {
		if err := p.apply(ctx, change); err != nil {
			return fmt.Errorf("change %d: %w", i, err)
		}
	}
	for i, one := range p.scenario.Spec.Steps {
		done := stepDone{step: one, from: time.Now(), outcome: "done"}
		if err := p.do(ctx, one, &done); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			done.outcome = "failed"
			done.errors = append(done.errors, err.Error())
		}
		done.to = time.Now()
		p.steps = append(p.steps, done)
		// What a step sets in motion is seen a moment later: calm before it is no calm after it.
		p.observer.stir()
		fmt.Printf("  step %d %s: %s %s\n", i, one.verb(), done.outcome, strings.Join(done.errors, "; "))
	}
	return p.rest(ctx)
}

// rest waits until nothing happens any more.
func (p *player) rest(ctx context.Context) error {
	for deadline := time.Now().Add(maxStep); time.Now().Before(deadline); {
		if p.observer.rested(p.scenario.quiet()) {
			return nil
		}
		if err := sleep(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
	return errors.New("the plane did not come to rest")
}

func (p *player) do(ctx context.Context, one step, done *stepDone) error {
	switch one.verb() {
	case "cordon":
		return p.setUnschedulable(ctx, one.Cordon, true)
	case "uncordon":
		return p.setUnschedulable(ctx, one.Uncordon, false)
	case "taint":
		return p.taint(ctx, one.Taint)
	case "drain":
		return p.drain(ctx, one, done)
	case "evict":
		return p.evict(ctx, one.Evict)
	case "delete":
		return p.delete(ctx, one.Delete)
	case "fail":
		p.observer.say(time.Now(), one.Fail, "node-down", fields{"node": one.Fail, "silent": true})
		p.kubelet.nodeDown(ctx, one.Fail, true)
		return nil
	case "down":
		p.observer.say(time.Now(), one.Down.Node, "node-down", fields{"node": one.Down.Node, "silent": false})
		p.kubelet.nodeDown(ctx, one.Down.Node, false)
		if err := sleep(ctx, time.Duration(one.Down.For)); err != nil {
			return err
		}
		p.observer.say(time.Now(), one.Down.Node, "node-up", fields{"node": one.Down.Node})
		p.kubelet.nodeUp(ctx, one.Down.Node)
		return nil
	case "apply":
		return p.apply(ctx, one.Apply)
	case "patch":
		return p.patch(ctx, one)
	case "scale":
		return p.scale(ctx, one.Scale)
	case "wait":
		return sleep(ctx, time.Duration(one.Wait))
	default:
		return p.waitReady(ctx, one, done)
	}
}

// setUnschedulable cordons as kubectl does, and waits for the taint that follows: parts of the scheduler look at that.
func (p *player) setUnschedulable(ctx context.Context, nodes []string, desired bool) error {
	for _, name := range nodes {
		node, err := p.client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		helper := drain.NewCordonHelper(node)
		if !helper.UpdateIfRequired(desired) {
			continue
		}
		if err, patchErr := helper.PatchOrReplace(p.client, false); err != nil || patchErr != nil {
			return errors.Join(err, patchErr)
		}
	}
	for _, name := range nodes {
		for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
			node, err := p.client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			tainted := slices.ContainsFunc(node.Spec.Taints, func(taint corev1.Taint) bool { return taint.Key == corev1.TaintNodeUnschedulable })
			if tainted == desired {
				break
			}
			if err := sleep(ctx, 20*time.Millisecond); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *player) taint(ctx context.Context, one *taintStep) error {
	node, err := p.client.CoreV1().Nodes().Get(ctx, one.Node, metav1.GetOptions{})
	if err != nil {
		return err
	}
	node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, func(taint corev1.Taint) bool {
		return taint.Key == one.Key && string(taint.Effect) == one.Effect
	})
	if !one.Remove {
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: one.Key, Value: one.Value, Effect: corev1.TaintEffect(one.Effect)})
	}
	_, err = p.client.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
	return err
}

// apply takes manifests: the name of a file beside the scenario, or the objects themselves.
func (p *player) apply(ctx context.Context, written json.RawMessage) error {
	var file string
	if json.Unmarshal(written, &file) == nil {
		if !filepath.IsLocal(file) {
			return fmt.Errorf("%s is not within the scenario's folder", file)
		}
		docs, err := readDocuments(filepath.Join(p.scenario.dir, file))
		if err != nil {
			return err
		}
		return p.objects.apply(ctx, docs)
	}
	var objects []map[string]any
	if json.Unmarshal(written, &objects) != nil {
		var one map[string]any
		if err := json.Unmarshal(written, &one); err != nil {
			return err
		}
		objects = append(objects, one)
	}
	var docs []*unstructured.Unstructured
	for _, object := range objects {
		docs = append(docs, &unstructured.Unstructured{Object: object})
	}
	return p.objects.apply(ctx, docs)
}

// drain is one `kubectl drain` of the nodes given: all are cordoned first, then drained one by one, or all at once.
func (p *player) drain(ctx context.Context, one step, done *stepDone) error {
	if err := p.setUnschedulable(ctx, one.Drain, true); err != nil {
		return err
	}
	done.nodes = make([]nodeDone, len(one.Drain))
	var group sync.WaitGroup
	for i, node := range one.Drain {
		drainOne := func() { done.nodes[i] = p.drainNode(ctx, node, one) }
		if one.Concurrent {
			group.Go(drainOne)
			continue
		}
		drainOne()
		if done.nodes[i].outcome == "stalled" {
			// kubectl would wait at this node for ever: the others are not reached.
			done.nodes = done.nodes[:i+1]
			break
		}
	}
	group.Wait()
	for _, node := range done.nodes {
		if node.outcome != "completed" {
			done.outcome = node.outcome
		}
	}
	return ctx.Err()
}

func (p *player) drainNode(ctx context.Context, node string, one step) nodeDone {
	result := nodeDone{node: node, from: time.Now(), outcome: "completed"}
	p.observer.say(result.from, node, "drain-started", fields{"node": node})
	defer func() {
		with := fields{"node": node}
		if len(result.errors) > 0 {
			with["errors"] = result.errors
		}
		p.observer.say(result.to, node, "drain-"+result.outcome, with)
	}()
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	helper, err := p.helper(limited, one.drainFlags())
	if err != nil {
		return p.ended(result, "failed", err)
	}
	pods, errs := helper.GetPodsForDeletion(node)
	if len(errs) > 0 {
		return p.ended(result, "refused", errs...)
	}
	finished := make(chan error, 1)
	go func() { finished <- helper.DeleteOrEvictPods(pods.Pods()) }()
	reason, err := p.await(limited, result.from, one, finished)
	cancel()
	switch reason {
	case "finished":
		if err != nil {
			return p.ended(result, "failed", split(err)...)
		}
		return p.ended(result, "completed")
	case "force":
		<-finished
		helper.Ctx, helper.DisableEviction, helper.Timeout = ctx, true, 0
		left, errs := helper.GetPodsForDeletion(node)
		if len(errs) > 0 {
			return p.ended(result, "failed", errs...)
		}
		if err := helper.DeleteOrEvictPods(left.Pods()); err != nil {
			return p.ended(result, "failed", split(err)...)
		}
		return p.ended(result, "forced")
	default:
		<-finished
		return p.ended(result, reason)
	}
}

// await says how a drain ended: by itself, at one of its limits, or because nothing happens any more.
func (p *player) await(ctx context.Context, from time.Time, one step, finished <-chan error) (string, error) {
	after := func(limit duration) bool { return limit != 0 && time.Since(from) >= time.Duration(limit) }
	limited := one.StopAfter != 0 || one.ForceAfter != 0 || slices.ContainsFunc(one.drainFlags(), func(flag string) bool {
		return strings.HasPrefix(flag, "--timeout")
	})
	for {
		select {
		case err := <-finished:
			return "finished", err
		case <-ctx.Done():
			return "stopped", ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
		switch {
		case after(one.ForceAfter):
			return "force", nil
		case after(one.StopAfter):
			return "stopped", nil
		case !limited && p.observer.rested(p.scenario.quiet()), time.Since(from) > maxStep:
			return "stalled", nil
		}
	}
}

func (p *player) ended(result nodeDone, outcome string, errs ...error) nodeDone {
	result.outcome, result.to = outcome, time.Now()
	for _, err := range errs {
		result.errors = append(result.errors, err.Error())
	}
	sort.Strings(result.errors)
	return result
}

func split(err error) []error {
	var aggregate interface{ Errors() []error }
	if errors.As(err, &aggregate) {
		return aggregate.Errors()
	}
	return []error{err}
}

func (p *player) helper(ctx context.Context, flags []string) (*drain.Helper, error) {
	helper := &drain.Helper{Ctx: ctx, Client: p.client, GracePeriodSeconds: -1, Out: io.Discard, ErrOut: io.Discard,
		ChunkSize: 500, EvictErrorRetryDelay: p.scenario.Spec.Timing.retry()}
	for _, flag := range flags {
		name, value, _ := strings.Cut(flag, "=")
		var err error
		switch name {
		case "--ignore-daemonsets":
			helper.IgnoreAllDaemonSets = value != "false"
		case "--delete-emptydir-data":
			helper.DeleteEmptyDirData = value != "false"
		case "--force":
			helper.Force = value != "false"
		case "--disable-eviction":
			helper.DisableEviction = value != "false"
		case "--timeout":
			helper.Timeout, err = time.ParseDuration(value)
		case "--grace-period":
			helper.GracePeriodSeconds, err = strconv.Atoi(value)
		case "--skip-wait-for-delete-timeout":
			helper.SkipWaitForDeleteTimeoutSeconds, err = strconv.Atoi(value)
		case "--pod-selector":
			helper.PodSelector = value
		default:
			err = fmt.Errorf("no such flag of kubectl drain here: %s", flag)
		}
		if err != nil {
			return nil, err
		}
	}
	return helper, nil
}

// evict tries once: the tap keeps the answer.
func (p *player) evict(ctx context.Context, shared string) error {
	namespace, name, found := strings.Cut(shared, "/")
	if !found {
		return fmt.Errorf("evict takes namespace/name, got %q", shared)
	}
	p.observer.mu.Lock()
	name = p.observer.names.resolve(name)
	p.observer.mu.Unlock()
	// A client of its own kind: client-go repeats a try by itself where the answer carries Retry-After.
	body, err := json.Marshal(policyv1.Eviction{TypeMeta: metav1.TypeMeta{APIVersion: "policy/v1", Kind: "Eviction"}, ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}})
	if err != nil {
		return err
	}
	transport, err := rest.HTTPClientFor(p.config)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, fmt.Sprintf("%s/api/v1/namespaces/%s/pods/%s/eviction", p.config.Host, namespace, name), bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := transport.Do(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

func (p *player) delete(ctx context.Context, written json.RawMessage) error {
	var node struct {
		Node string `json:"node"`
	}
	if json.Unmarshal(written, &node) == nil && node.Node != "" {
		return p.client.CoreV1().Nodes().Delete(ctx, node.Node, metav1.DeleteOptions{})
	}
	var object struct {
		Ref ref `json:"ref"`
	}
	if json.Unmarshal(written, &object) == nil && object.Ref.Name != "" {
		resource, err := p.objects.byRef(object.Ref)
		if err != nil {
			return err
		}
		return resource.Delete(ctx, object.Ref.Name, metav1.DeleteOptions{})
	}
	var shared string
	if err := json.Unmarshal(written, &shared); err != nil {
		return fmt.Errorf("delete takes namespace/name, { node } or { ref }, got %s", written)
	}
	namespace, name, _ := strings.Cut(shared, "/")
	p.observer.mu.Lock()
	name = p.observer.names.resolve(name)
	p.observer.mu.Unlock()
	return p.client.CoreV1().Pods(namespace).Delete(ctx, name, metav1.DeleteOptions{})
}

func (p *player) patch(ctx context.Context, one step) error {
	if one.Target == nil {
		return errors.New("patch needs a target")
	}
	resource, err := p.objects.byRef(*one.Target)
	if err != nil {
		return err
	}
	kind, ok := map[string]types.PatchType{"": types.StrategicMergePatchType, "strategic": types.StrategicMergePatchType,
		"merge": types.MergePatchType, "json": types.JSONPatchType}[one.Type]
	if !ok {
		return fmt.Errorf("no such patch type: %s", one.Type)
	}
	_, err = resource.Patch(ctx, one.Target.Name, kind, one.Patch, metav1.PatchOptions{})
	return err
}

func (p *player) scale(ctx context.Context, one *scaleStep) error {
	resource, err := p.objects.byRef(one.Ref)
	if err != nil {
		return err
	}
	patch := fmt.Sprintf(`{"spec":{"replicas":%d}}`, one.Replicas)
	_, err = resource.Patch(ctx, one.Ref.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}, "scale")
	return err
}

// waitReady waits for one workload or for all of them, or until nothing happens any more.
func (p *player) waitReady(ctx context.Context, one step, done *stepDone) error {
	var of struct {
		Ref *ref `json:"ref"`
	}
	_ = json.Unmarshal(one.WaitReady, &of)
	// What the step before changed is seen here a moment later.
	if err := sleep(ctx, 300*time.Millisecond); err != nil {
		return err
	}
	for {
		if p.observer.workloadsReady(of.Ref) {
			return nil
		}
		if p.observer.rested(p.scenario.quiet()) || time.Since(done.from) > maxStep {
			done.outcome = "stalled"
			return nil
		}
		if err := sleep(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
}

// evictionTap keeps every answer to a try to evict, whoever in this process tries.
type evictionTap struct {
	next     http.RoundTripper
	observer *observer
}

func (t *evictionTap) RoundTrip(request *http.Request) (*http.Response, error) {
	parts := strings.Split(request.URL.Path, "/")
	if request.Method != http.MethodPost || len(parts) < 3 || parts[len(parts)-1] != "eviction" {
		return t.next.RoundTrip(request)
	}
	pod := parts[len(parts)-4] + "/" + parts[len(parts)-2]
	request.Header.Set("Accept", "application/json")
	from := time.Now()
	response, err := t.next.RoundTrip(request)
	if err != nil {
		return response, err
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	response.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil {
		return response, err
	}
	t.observer.say(from, pod, "eviction", answer(pod, response, body))
	return response, nil
}

func answer(pod string, response *http.Response, body []byte) fields {
	with := fields{"pod": pod, "code": response.StatusCode}
	var status metav1.Status
	if json.Unmarshal(body, &status) != nil || status.Status == metav1.StatusSuccess {
		return with
	}
	with["reason"], with["message"] = string(status.Reason), status.Message
	if status.Details != nil {
		if status.Details.RetryAfterSeconds > 0 {
			with["retryAfterSeconds"] = status.Details.RetryAfterSeconds
		}
		var causes []fields
		for _, cause := range status.Details.Causes {
			causes = append(causes, fields{"type": string(cause.Type), "message": cause.Message})
		}
		if len(causes) > 0 {
			with["causes"] = causes
		}
	}
	return with
}

// nameOf is the address of an object as the steps give it.
func (r ref) nameOf() string { return r.Namespace + "/" + r.Name }

func sleep(ctx context.Context, wait time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(wait):
		return nil
	}
}
