package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	yamlreader "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"sigs.k8s.io/yaml"
)

// objects reaches any resource of the plane by its kind.
type objects struct {
	client dynamic.Interface
	mapper *restmapper.DeferredDiscoveryRESTMapper
}

func newObjects(config *rest.Config) (*objects, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	discoverer, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	return &objects{client: client, mapper: restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(discoverer))}, nil
}

func (o *objects) of(gvk schema.GroupVersionKind, namespace string) (dynamic.ResourceInterface, error) {
	mapping, err := o.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return nil, err
	}
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		if namespace == "" {
			namespace = metav1.NamespaceDefault
		}
		return o.client.Resource(mapping.Resource).Namespace(namespace), nil
	}
	return o.client.Resource(mapping.Resource), nil
}

func (o *objects) byRef(r ref) (dynamic.ResourceInterface, error) {
	gv, err := schema.ParseGroupVersion(r.APIVersion)
	if err != nil {
		return nil, err
	}
	return o.of(gv.WithKind(r.Kind), r.Namespace)
}

// apply is a server-side apply of every document, as the owner of a manifest would do it.
func (o *objects) apply(ctx context.Context, docs []*unstructured.Unstructured) error {
	for _, doc := range docs {
		resource, err := o.of(doc.GroupVersionKind(), doc.GetNamespace())
		if err != nil {
			return err
		}
		if _, err := resource.Apply(ctx, doc.GetName(), doc, metav1.ApplyOptions{FieldManager: "holdfast-rig", Force: true}); err != nil {
			return fmt.Errorf("%s %s: %w", doc.GetKind(), doc.GetName(), err)
		}
	}
	return nil
}

// load puts a cluster with placed pods into an API server that runs alone: objects in file order, references by uid
// mapped to the new uids, status through the subresource afterwards.
func (o *objects) load(ctx context.Context, file string) error {
	docs, err := readDocuments(file)
	if err != nil {
		return err
	}
	uids := map[string]string{}
	created := make([]*unstructured.Unstructured, len(docs))
	for i, doc := range docs {
		made, err := o.create(ctx, doc, uids)
		if err != nil {
			return fmt.Errorf("%s: document %d, %s %s/%s: %w", file, i+1, doc.GetKind(), doc.GetNamespace(), doc.GetName(), err)
		}
		created[i] = made
		if old := string(doc.GetUID()); old != "" {
			uids[old] = string(made.GetUID())
		}
	}
	for i, doc := range docs {
		if err := o.complete(ctx, doc, created[i], uids); err != nil {
			return fmt.Errorf("%s: status of %s %s/%s: %w", file, doc.GetKind(), doc.GetNamespace(), doc.GetName(), err)
		}
	}
	return nil
}

func (o *objects) create(ctx context.Context, doc *unstructured.Unstructured, uids map[string]string) (*unstructured.Unstructured, error) {
	object := doc.DeepCopy()
	unstructured.RemoveNestedField(object.Object, "status")
	for _, field := range []string{"uid", "creationTimestamp", "resourceVersion", "generation", "managedFields", "selfLink"} {
		unstructured.RemoveNestedField(object.Object, "metadata", field)
	}
	if doc.GetKind() == "Service" {
		if address, _, _ := unstructured.NestedString(object.Object, "spec", "clusterIP"); address != "None" {
			unstructured.RemoveNestedField(object.Object, "spec", "clusterIP")
			unstructured.RemoveNestedField(object.Object, "spec", "clusterIPs")
		}
	}
	mapUIDs(object.Object, uids)
	var last error
	// A kind from a CustomResourceDefinition is served a moment after the definition is made.
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		resource, err := o.of(object.GroupVersionKind(), object.GetNamespace())
		if err != nil {
			o.mapper.Reset()
			last = err
			continue
		}
		made, err := resource.Create(ctx, object, metav1.CreateOptions{FieldManager: "holdfast-rig", FieldValidation: "Strict"})
		switch {
		case err == nil:
			return made, nil
		case strings.Contains(err.Error(), "already exists"):
			return o.overwrite(ctx, resource, object)
		case strings.Contains(err.Error(), "the server could not find the requested resource"):
			last = err
		default:
			return nil, err
		}
	}
	return nil, last
}

// overwrite serves the few objects that a fresh API server makes by itself, such as the namespace kube-system.
func (o *objects) overwrite(ctx context.Context, resource dynamic.ResourceInterface, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	found, err := resource.Get(ctx, object.GetName(), metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	patch, err := object.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return resource.Patch(ctx, found.GetName(), types.MergePatchType, patch, metav1.PatchOptions{})
}

// complete writes what could not be written at creation: the status, and references to objects that came later.
func (o *objects) complete(ctx context.Context, doc, made *unstructured.Unstructured, uids map[string]string) error {
	resource, err := o.of(doc.GroupVersionKind(), doc.GetNamespace())
	if err != nil {
		return err
	}
	if doc.GetKind() == "PersistentVolume" {
		if uid, _, _ := unstructured.NestedString(doc.Object, "spec", "claimRef", "uid"); uid != "" && uids[uid] != "" {
			patch := fmt.Sprintf(`{"spec":{"claimRef":{"uid":%q}}}`, uids[uid])
			if made, err = resource.Patch(ctx, doc.GetName(), types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
				return err
			}
		}
	}
	status, found, _ := unstructured.NestedMap(doc.Object, "status")
	if !found || len(status) == 0 || doc.GetKind() == "Namespace" {
		return nil
	}
	object := made.DeepCopy()
	mapUIDs(status, uids)
	object.Object["status"] = status
	made, err = resource.UpdateStatus(ctx, object, metav1.UpdateOptions{FieldManager: "holdfast-rig", FieldValidation: "Strict"})
	if err != nil || doc.GetKind() != "Node" {
		return err
	}
	// The server taints every new node as not ready; the node is as its file says before any controller sees it.
	taints, _, _ := unstructured.NestedSlice(doc.Object, "spec", "taints")
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"taints": taints}})
	if err != nil {
		return err
	}
	_, err = resource.Patch(ctx, made.GetName(), types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}

// mapUIDs rewrites every uid that names an object loaded earlier.
func mapUIDs(value any, uids map[string]string) {
	switch typed := value.(type) {
	case map[string]any:
		for key, inner := range typed {
			if text, ok := inner.(string); ok && key == "uid" {
				if mapped := uids[text]; mapped != "" {
					typed[key] = mapped
				}
				continue
			}
			mapUIDs(inner, uids)
		}
	case []any:
		for _, inner := range typed {
			mapUIDs(inner, uids)
		}
	}
}

func readDocuments(file string) ([]*unstructured.Unstructured, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var docs []*unstructured.Unstructured
	splitter := yamlreader.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		part, err := splitter.Read()
		if errors.Is(err, io.EOF) {
			return flatten(docs), nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(part, &object.Object); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if len(object.Object) > 0 {
			docs = append(docs, object)
		}
	}
}

// flatten takes the items out of lists: a dump is often one List.
func flatten(docs []*unstructured.Unstructured) []*unstructured.Unstructured {
	var flat []*unstructured.Unstructured
	for _, doc := range docs {
		items, isList, _ := unstructured.NestedSlice(doc.Object, "items")
		if !isList {
			flat = append(flat, doc)
			continue
		}
		for _, item := range items {
			if object, ok := item.(map[string]any); ok {
				flat = append(flat, &unstructured.Unstructured{Object: object})
			}
		}
	}
	return flat
}
