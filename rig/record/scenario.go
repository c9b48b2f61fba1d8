package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"sigs.k8s.io/yaml"
)

// scenario is the part of a scenario file a real plane can play: steps, in order, and the times of the stand-in kubelet.
type scenario struct {
	Metadata struct {
		Name        string            `json:"name"`
		Annotations map[string]string `json:"annotations,omitempty"`
	} `json:"metadata"`
	Spec struct {
		Changes []json.RawMessage `json:"changes,omitempty"`
		Steps   []step            `json:"steps"`
		Timing  timing            `json:"timing"`
	} `json:"spec"`

	dir string
}

// step holds one verb and what belongs to it. Exactly one of the verbs is set.
type step struct {
	Cordon    []string        `json:"cordon,omitempty"`
	Uncordon  []string        `json:"uncordon,omitempty"`
	Taint     *taintStep      `json:"taint,omitempty"`
	Drain     names           `json:"drain,omitempty"`
	Evict     string          `json:"evict,omitempty"`
	Delete    json.RawMessage `json:"delete,omitempty"`
	Fail      string          `json:"fail,omitempty"`
	Down      *downStep       `json:"down,omitempty"`
	Apply     json.RawMessage `json:"apply,omitempty"`
	Patch     json.RawMessage `json:"patch,omitempty"`
	Scale     *scaleStep      `json:"scale,omitempty"`
	Wait      duration        `json:"wait,omitempty"`
	WaitReady json.RawMessage `json:"waitReady,omitempty"`

	Flags      *[]string `json:"flags,omitempty"`
	Concurrent bool      `json:"concurrent,omitempty"`
	StopAfter  duration  `json:"stopAfter,omitempty"`
	ForceAfter duration  `json:"forceAfter,omitempty"`
	Target     *ref      `json:"target,omitempty"`
	Type       string    `json:"type,omitempty"`
}

type ref struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
}

type taintStep struct {
	Node   string `json:"node"`
	Key    string `json:"key"`
	Value  string `json:"value,omitempty"`
	Effect string `json:"effect"`
	Remove bool   `json:"remove,omitempty"`
}

type downStep struct {
	Node string   `json:"node"`
	For  duration `json:"for"`
}

type scaleStep struct {
	Ref      ref   `json:"ref"`
	Replicas int32 `json:"replicas"`
}

// timing says what the stand-in kubelet and the drain do; patterns are pod names with at most one trailing star.
type timing struct {
	PodStart map[string]duration `json:"podStart,omitempty"`
	PodReady map[string]duration `json:"podReady,omitempty"`
	PodStop  map[string]duration `json:"podStop,omitempty"`
	Retry    duration            `json:"retry,omitempty"`
}

const (
	podStartDefault = 3 * time.Second
	podStopDefault  = time.Second
	retryDefault    = time.Second
	quietDefault    = 6 * time.Second
	// takeoverDelay is how long after its leader begins to stop a standby turns Ready.
	takeoverDelay = 2 * time.Second

	annotationQuiet = "rig.holdfast.dev/quiet"
	annotationFlags = "rig.holdfast.dev/controller-manager-flags"
	annotationAbout = "rig.holdfast.dev/about"
)

func readScenario(file string) (*scenario, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	parsed := &scenario{dir: filepath.Dir(file)}
	if err := yaml.UnmarshalStrict(withoutHeader(text), parsed, yaml.DisallowUnknownFields); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for i, one := range parsed.Spec.Steps {
		if one.verb() == "" {
			return nil, fmt.Errorf("%s: step %d has no verb known here", file, i)
		}
	}
	return parsed, nil
}

// withoutHeader drops apiVersion and kind, which the strict reading of the rest would refuse.
func withoutHeader(text []byte) []byte {
	lines := strings.Split(string(text), "\n")
	kept := lines[:0]
	for _, line := range lines {
		if strings.HasPrefix(line, "apiVersion:") || strings.HasPrefix(line, "kind:") {
			continue
		}
		kept = append(kept, line)
	}
	return []byte(strings.Join(kept, "\n"))
}

func (s step) verb() string {
	switch {
	case s.Cordon != nil:
		return "cordon"
	case s.Uncordon != nil:
		return "uncordon"
	case s.Taint != nil:
		return "taint"
	case s.Drain != nil:
		return "drain"
	case s.Evict != "":
		return "evict"
	case s.Delete != nil:
		return "delete"
	case s.Fail != "":
		return "fail"
	case s.Down != nil:
		return "down"
	case s.Apply != nil:
		return "apply"
	case s.Patch != nil:
		return "patch"
	case s.Scale != nil:
		return "scale"
	case s.Wait != 0:
		return "wait"
	case s.WaitReady != nil:
		return "waitReady"
	}
	return ""
}

// drainFlags are the step's own, or what people type.
func (s step) drainFlags() []string {
	if s.Flags != nil {
		return *s.Flags
	}
	return []string{"--ignore-daemonsets", "--delete-emptydir-data"}
}

func (s *scenario) quiet() time.Duration {
	if text := s.Metadata.Annotations[annotationQuiet]; text != "" {
		if parsed, err := time.ParseDuration(text); err == nil {
			return parsed
		}
	}
	return quietDefault
}

func (s *scenario) controllerFlags() []string {
	return strings.Fields(s.Metadata.Annotations[annotationFlags])
}

func (t timing) start(pod string) time.Duration { return lookUp(t.PodStart, pod, podStartDefault) }
func (t timing) stop(pod string) time.Duration  { return lookUp(t.PodStop, pod, podStopDefault) }
func (t timing) retry() time.Duration {
	if t.Retry == 0 {
		return retryDefault
	}
	return time.Duration(t.Retry)
}

// complete writes the defaults in, so that a trace says every time it used.
func (t timing) complete() timing {
	with := func(given map[string]duration, usual time.Duration) map[string]duration {
		all := map[string]duration{"*": duration(usual)}
		for key, value := range given {
			all[key] = value
		}
		return all
	}
	return timing{PodStart: with(t.PodStart, podStartDefault), PodReady: t.PodReady, PodStop: with(t.PodStop, podStopDefault),
		Retry: duration(t.retry())}
}

// lookUp takes the longest pattern that matches: the most particular one.
func lookUp(table map[string]duration, pod string, usual time.Duration) time.Duration {
	best, found := -1, usual
	for pattern, value := range table {
		if ok, err := path.Match(strings.ReplaceAll(pattern, "/", "\x00"), strings.ReplaceAll(pod, "/", "\x00")); err == nil && ok && len(pattern) > best {
			best, found = len(pattern), time.Duration(value)
		}
	}
	return found
}

// names is one name or a list of them.
type names []string

func (n *names) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*n = names{one}
		return nil
	}
	var many []string
	if err := json.Unmarshal(text, &many); err != nil {
		return err
	}
	*n = many
	return nil
}

// duration reads and writes Go's own form, 1m30s.
type duration time.Duration

func (d *duration) UnmarshalJSON(text []byte) error {
	var written string
	if err := json.Unmarshal(text, &written); err != nil {
		return err
	}
	parsed, err := time.ParseDuration(written)
	*d = duration(parsed)
	return err
}

func (d duration) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(d).String()) }
