package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"slices"
	"sort"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// traceFormat changes when a reader of traces would have to.
const traceFormat = "holdfast-trace/1"

// trace is a recording before it is written.
type trace struct {
	scenario   *scenario
	kubernetes string
	begun      time.Time
	steps      []stepDone
	events     []event
	deletions  []deletion
	start, end state
	rename     func(string) string
}

// state is what a plane looked like at one moment.
type state struct {
	Nodes       map[string]any `json:"nodes"`
	Pods        map[string]any `json:"pods"`
	Services    map[string]int `json:"services"`
	Budgets     map[string]any `json:"budgets"`
	Deployments map[string]any `json:"deployments"`
}

// state takes the picture of now.
func (o *observer) state() state {
	o.mu.Lock()
	defer o.mu.Unlock()
	picture := state{Nodes: map[string]any{}, Pods: map[string]any{}, Services: map[string]int{}, Budgets: map[string]any{}, Deployments: map[string]any{}}
	for name, node := range o.nodes {
		with := fields{"ready": nodeReady(node)}
		if node.Spec.Unschedulable {
			with["unschedulable"] = true
		}
		if taints := taintChange(nil, node.Spec.Taints); len(taints) > 0 {
			with["taints"] = taints
		}
		picture.Nodes[name] = with
	}
	for _, pod := range o.pods {
		with := fields{"node": nil, "phase": pod.Status.Phase, "ready": ready(pod)}
		if pod.Spec.NodeName != "" {
			with["node"] = pod.Spec.NodeName
		} else if condition := podCondition(pod, corev1.PodScheduled); condition.Status == corev1.ConditionFalse {
			with["message"] = condition.Message
		}
		if pod.DeletionTimestamp != nil {
			with["terminating"] = true
		}
		picture.Pods[pod.Namespace+"/"+pod.Name] = with
	}
	for name := range o.services {
		picture.Services[name] = o.countEndpoints(name).ready
	}
	for name, budget := range o.budgets {
		picture.Budgets[name] = budgetStatus(budget)
	}
	for name, deployment := range o.deployments {
		picture.Deployments[name] = deploymentState(deployment)
	}
	return picture
}

func deploymentState(deployment *appsv1.Deployment) fields {
	conditions := map[string]string{}
	for _, condition := range deployment.Status.Conditions {
		conditions[string(condition.Type)] = string(condition.Status) + " " + condition.Reason
	}
	return fields{"wanted": *deployment.Spec.Replicas, "replicas": deployment.Status.Replicas, "ready": deployment.Status.ReadyReplicas,
		"updated": deployment.Status.UpdatedReplicas, "conditions": conditions}
}

// ordered sorts events: those of the plane by revision, exactly; a watch that lagged is corrected to the latest time the
// change can have happened, which is before anything of a later revision was seen.
func ordered(events []event) []event {
	var ofPlane, ofRecorder []event
	for _, one := range events {
		if one.revision > 0 {
			ofPlane = append(ofPlane, one)
		} else {
			ofRecorder = append(ofRecorder, one)
		}
	}
	sort.SliceStable(ofPlane, func(i, j int) bool { return ofPlane[i].revision < ofPlane[j].revision })
	for i := len(ofPlane) - 2; i >= 0; i-- {
		if ofPlane[i].at.After(ofPlane[i+1].at) {
			ofPlane[i].at = ofPlane[i+1].at
		}
	}
	all := append(ofRecorder, ofPlane...)
	sort.SliceStable(all, func(i, j int) bool { return all[i].at.Before(all[j].at) })
	return all
}

// settling are the kinds worth keeping from the time before the first step, when controllers take the cluster over.
var settling = []string{"pod-created", "pod-bound", "pod-unschedulable", "pod-deleted", "pod-gone", "pod-ready", "pod-unready", "pod-finished",
	"pod-nominated", "pod-rejected", "node-tainted", "node-ready", "scaled", "replicaset-created"}

func (t *trace) write(file string) error {
	var out bytes.Buffer
	out.WriteString("{\n")
	t.line(&out, "format", traceFormat)
	t.line(&out, "name", t.scenario.Metadata.Name)
	t.line(&out, "about", t.scenario.Metadata.Annotations[annotationAbout])
	t.line(&out, "kubernetes", t.kubernetes)
	t.line(&out, "schedulerProfile", "default")
	t.line(&out, "controllerManagerFlags", append([]string{}, t.scenario.controllerFlags()...))
	t.line(&out, "timing", t.scenario.Spec.Timing.complete())
	t.line(&out, "quietSeconds", t.scenario.quiet().Seconds())
	t.line(&out, "durationSeconds", t.seconds(t.steps, time.Time{}))
	t.lines(&out, "steps", t.stepLines())
	t.pictures(&out, "start", t.start)
	t.lines(&out, "events", t.eventLines())
	t.pictures(&out, "end", t.end)
	text := bytes.TrimSuffix(bytes.TrimSpace(out.Bytes()), []byte(","))
	return os.WriteFile(file, append(append([]byte{}, text...), "\n}\n"...), 0o644)
}

func (t *trace) line(out *bytes.Buffer, key string, value any) {
	out.WriteString(" " + encode(key) + ": " + encode(value) + ",\n")
}

func (t *trace) lines(out *bytes.Buffer, key string, values []string) {
	out.WriteString(" " + encode(key) + ": [")
	for i, value := range values {
		if i > 0 {
			out.WriteString(",")
		}
		out.WriteString("\n  " + value)
	}
	out.WriteString("\n ],\n")
}

// pictures writes a state with one object a line.
func (t *trace) pictures(out *bytes.Buffer, key string, picture state) {
	out.WriteString(" " + encode(key) + ": {")
	services := map[string]any{}
	for name, ready := range picture.Services {
		services[name] = ready
	}
	for i, part := range []struct {
		key    string
		values map[string]any
	}{{"nodes", picture.Nodes}, {"pods", picture.Pods}, {"services", services}, {"budgets", picture.Budgets}, {"deployments", picture.Deployments}} {
		if i > 0 {
			out.WriteString(",")
		}
		out.WriteString("\n  " + encode(part.key) + ": {")
		renamed := map[string]any{}
		for name, value := range part.values {
			renamed[t.rename(name)] = value
		}
		names := make([]string, 0, len(renamed))
		for name := range renamed {
			names = append(names, name)
		}
		sort.Strings(names)
		for j, name := range names {
			if j > 0 {
				out.WriteString(",")
			}
			out.WriteString("\n   " + encode(name) + ": " + t.rename(encode(renamed[name])))
		}
		if len(names) > 0 {
			out.WriteString("\n  ")
		}
		out.WriteString("}")
	}
	out.WriteString("\n },\n")
}

func (t *trace) stepLines() []string {
	var lines []string
	for i, done := range t.steps {
		with := fields{"step": i, "do": done.step.verb(), "fromSeconds": t.since(done.from), "toSeconds": t.since(done.to), "outcome": done.outcome}
		if len(done.errors) > 0 {
			with["errors"] = done.errors
		}
		var nodes []fields
		for _, node := range done.nodes {
			one := fields{"node": node.node, "outcome": node.outcome, "fromSeconds": t.since(node.from), "toSeconds": t.since(node.to)}
			if len(node.errors) > 0 {
				one["errors"] = node.errors
			}
			nodes = append(nodes, one)
		}
		if len(nodes) > 0 {
			with["drains"] = nodes
		}
		lines = append(lines, t.rename(encode(with)))
	}
	return lines
}

func (t *trace) eventLines() []string {
	var lines []string
	for _, one := range ordered(t.events) {
		at := t.since(one.at)
		if at < 0 && !slices.Contains(settling, one.kind) {
			continue
		}
		with := fields{}
		for key, value := range one.fields {
			with[key] = value
		}
		if one.kind == "pod-deleted" {
			with["by"] = deletedBy(t.deletions, with["pod"].(string), one.at)
		}
		head := encode(fields{"seconds": at, "step": t.stepAt(one.at), "type": one.kind})
		rest := encode(with)
		line := head[:len(head)-1]
		if len(with) > 0 {
			line += "," + rest[1:len(rest)-1]
		}
		lines = append(lines, t.rename(line+"}"))
	}
	return lines
}

// stepAt is the step under way at a moment: -1 before the first. After the last step the last one's number goes on.
func (t *trace) stepAt(at time.Time) int {
	step := -1
	for i, done := range t.steps {
		if !done.from.After(at) {
			step = i
		}
	}
	return step
}

func (t *trace) since(at time.Time) float64 { return math.Round(at.Sub(t.begun).Seconds()*1000) / 1000 }

func (t *trace) seconds(steps []stepDone, last time.Time) float64 {
	for _, done := range steps {
		if done.to.After(last) {
			last = done.to
		}
	}
	for _, one := range t.events {
		if one.at.After(last) {
			last = one.at
		}
	}
	return t.since(last)
}

// encode writes JSON as people read it: < and > stay what they are.
func encode(value any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value)
	return string(bytes.TrimSpace(out.Bytes()))
}
