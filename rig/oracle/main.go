// Command oracle answers scheduling questions with the real scheduler's own framework.
//
// It reads one cluster a line (JSON) from standard input and writes one answer a line to standard output. There is no API
// server, no clock and no goroutine that decides anything: informers are filled from the input before the scheduler is
// built, and the scheduler runs with a parallelism of one, so that the same line always gives the same answer. With -drain it
// keeps one cluster, empties nodes of it, and tells what that costs: see drain.go.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// Request is one cluster and the pending pods to decide in it.
type Request struct {
	ID      string            `json:"id"`
	Objects []json.RawMessage `json:"objects"`
	// Names as namespace/name, in the order in which they are decided.
	Pods    []string `json:"pods"`
	Options Options  `json:"options"`
}

// Options change what is decided, never how.
type Options struct {
	// When true, each pod that fits is assumed on the first of its best nodes by name before the next is decided.
	Sequence bool `json:"sequence"`
	// 0: the adaptive default of the scheduler.
	PercentageOfNodesToScore int32 `json:"percentageOfNodesToScore"`
	// When true, listers give objects in any order, as the scheduler's own do, and spend nothing on it. What plugins say of nodes does not
	// depend on it; some sentences do.
	Unsorted bool `json:"-"`
}

// Response is what the scheduler says about each pod asked for.
type Response struct {
	ID      string `json:"id"`
	Version string `json:"version"`
	// Node names in the order in which the scheduler looks at them.
	Order     []string   `json:"order"`
	Decisions []Decision `json:"decisions"`
	Error     string     `json:"error,omitempty"`
}

func main() {
	verbose := flag.Bool("verbose", false, "log what the scheduler logs to standard error")
	gates := flag.Bool("gates", false, "print the feature gates and their defaults, then stop")
	folder := flag.String("drain", "", "keep the cluster of this folder of .ndjson files, and read nodes to empty from standard input, one a line")
	flag.Parse()
	if !*verbose {
		klog.SetLogger(logr.Discard())
	}
	if *gates {
		printGates()
		return
	}

	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if *folder != "" {
		err := drainAll(*folder, in, encoder)
		if err == nil {
			err = out.Flush()
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "oracle:", err)
			os.Exit(1)
		}
		return
	}
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 1 {
			response := answer(line)
			if err := encoder.Encode(response); err != nil {
				fmt.Fprintln(os.Stderr, "oracle: cannot write the answer:", err)
				os.Exit(1)
			}
			if err := out.Flush(); err != nil {
				os.Exit(1)
			}
		}
		if err != nil {
			return
		}
	}
}

func answer(line []byte) (response Response) {
	response.Version = version()
	var request Request
	if err := json.Unmarshal(line, &request); err != nil {
		response.Error = "cannot read the request: " + err.Error()
		return response
	}
	response.ID = request.ID
	defer func() {
		if r := recover(); r != nil {
			response.Error = fmt.Sprintf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	objects, err := decodeAll(request.Objects)
	if err != nil {
		response.Error = err.Error()
		return response
	}
	order, decisions, err := decideAll(objects, request.Pods, request.Options)
	if err != nil {
		response.Error = err.Error()
		return response
	}
	response.Order = order
	response.Decisions = decisions
	return response
}
