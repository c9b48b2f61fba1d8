package main

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"time"
)

// deletion is one successful request that began or hastened the end of a pod, as the API server's audit log has it.
type deletion struct {
	pod string
	at  time.Time
	by  string
}

// readDeletions answers who deleted which pod when: a plain delete has no name anywhere else.
func readDeletions(file string) ([]deletion, error) {
	log, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	var found []deletion
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var entry struct {
			Verb                     string    `json:"verb"`
			RequestReceivedTimestamp time.Time `json:"requestReceivedTimestamp"`
			UserAgent                string    `json:"userAgent"`
			User                     struct {
				Username string `json:"username"`
			} `json:"user"`
			ObjectRef struct {
				Namespace   string `json:"namespace"`
				Name        string `json:"name"`
				Subresource string `json:"subresource"`
			} `json:"objectRef"`
			ResponseStatus struct {
				Code int `json:"code"`
			} `json:"responseStatus"`
		}
		if err := json.Unmarshal(lines.Bytes(), &entry); err != nil {
			return nil, err
		}
		if entry.ResponseStatus.Code >= 300 {
			continue
		}
		one := deletion{pod: entry.ObjectRef.Namespace + "/" + entry.ObjectRef.Name, at: entry.RequestReceivedTimestamp}
		switch {
		case entry.Verb == "create" && entry.ObjectRef.Subresource == "eviction":
			one.by = "eviction"
		case entry.Verb == "delete":
			one.by = actor(entry.User.Username, entry.UserAgent)
		default:
			continue
		}
		found = append(found, one)
	}
	return found, lines.Err()
}

// actor names who asked. The controller manager's controllers share a login and differ in the end of their user agent.
func actor(user, agent string) string {
	switch user {
	case userRecorder:
		return "user"
	case userKubelet:
		return "kubelet"
	case "system:kube-scheduler":
		return "kube-scheduler"
	}
	last := agent[strings.LastIndex(agent, "/")+1:]
	return last[strings.LastIndex(last, ":")+1:]
}

// deletedBy is the last one who asked for the end of a pod before its end was seen.
func deletedBy(deletions []deletion, pod string, seen time.Time) string {
	by := "unknown"
	for _, one := range deletions {
		if one.pod == pod && !one.at.After(seen) && (by == "unknown" || one.by != "kubelet") {
			by = one.by
		}
	}
	return by
}
